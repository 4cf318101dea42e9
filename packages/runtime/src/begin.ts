/**
 * Where a run begins, or goes on: after somebody decided, or after the process that had it died.
 *
 * What the client brought is kept before anybody hears that the run goes on. A result is taken only for a call that the client was
 * to run, a decision only for a call that waits for one.
 */
import {
  type Committed,
  deltaEvent,
  type Decision,
  endRun,
  type Message,
  type OpenCall,
  type RunRequest,
  type RunWriter,
} from '@factwire/core'
import type { Setting } from './setting.ts'
import { isExpired } from './verdict.ts'

export type Brought = Partial<Pick<RunRequest, 'messages' | 'decisions'>>

/** The writer's name for a run: one that goes on after a crash must not give the ids of what was shown and never stored. */
export const writerIdOf = (runId: string, resumed: number): string =>
  resumed === 0 ? runId : `${runId}-resumed-${resumed}`

/** How often the model has answered in a run, by the ids of its messages. */
export function stepsIn(messages: readonly Message[], runId: string, resumed: number): number {
  const prefixes = Array.from({ length: resumed + 1 }, (_, index) => `${writerIdOf(runId, index)}-assistant-`)
  const isOwn = ({ id, role }: Message): boolean =>
    role === 'assistant' && prefixes.some((prefix) => id.startsWith(prefix))
  return messages.filter(isOwn).length
}

export async function begin(setting: Setting, before: Committed['standing'], brought: Brought): Promise<void> {
  const { run, publish, notes, stop } = setting
  const had = new Set(run.messages().map(({ id }) => id))
  const fresh = (brought.messages ?? []).flatMap((message) =>
    message.role === 'tool' || had.has(message.id) ? [] : withoutCalls(message),
  )
  if (!before.state) {
    // Open calls are of a run that nobody ended.
    const closing = endRun(before, { type: 'indeterminate' }).messages
    return publish(run.commit({ messages: [...closing, ...fresh] }))
  }
  const decisions = openDecisions(setting, brought.decisions ?? [])
  await notes.add([
    ...decisions.map((decision) => ({ type: 'decided' as const, decision })),
    ...fresh.map((message) => ({ type: 'said' as const, message })),
  ])
  const results = clientResults(setting, brought.messages ?? [])
  if (before.state.type === 'awaiting') {
    const detail = { decisions: decisions.map(({ tool_use_id, approved }) => ({ tool_use_id, approved })) }
    const told = decisions.length > 0 ? { continuation: { steered: false, detail } } : {}
    return publish(run.commit({ messages: results, ...told }))
  }
  if (results.length > 0) await publish(run.commit({ messages: results }))
  // What a process before this one has shown of the next message is not going on.
  if (run.standing().openCalls.length === 0 && !stop.aborted) {
    await publish({ events: [deltaEvent({ type: 'stream_reset', reason: 'resumed from checkpoint' })] })
  }
}

/** What a client says of calls is not done: the words of a message that it brings stay, its calls go. */
function withoutCalls(message: Message): readonly Message[] {
  const content = message.content.filter(({ type }) => type !== 'tool_use' && type !== 'tool_result')
  if (content.length === message.content.length) return [message]
  return content.length === 0 ? [] : [{ ...message, content }]
}

function openDecisions(setting: Setting, decisions: readonly Decision[]): readonly Decision[] {
  const { run, notes, tools, pending, clock } = setting
  const isOpen = ({ id, name }: OpenCall): boolean =>
    tools.server.has(name) && !isExpired(pending.get(id) ?? {}, clock.now())
  const open = new Set(run.standing().openCalls.flatMap((call) => (isOpen(call) ? [call.id] : [])))
  return decisions.filter(({ tool_use_id: id }) => !notes.decisions.has(id) && open.delete(id))
}

/** One message a result, in the order of the client. */
function clientResults({ run, tools, pending }: Setting, messages: readonly Message[]): readonly Message[] {
  const isClients = ({ id, name }: OpenCall): boolean =>
    !tools.server.has(name) && (tools.client.has(name) || pending.get(id)?.kind === 'client')
  const open = new Set(run.standing().openCalls.flatMap((call) => (isClients(call) ? [call.id] : [])))
  return messages.flatMap((message) => {
    if (message.role !== 'tool') return []
    const content = message.content.filter((block) => block.type === 'tool_result' && open.delete(block.tool_use_id))
    return content.length === 0 ? [] : [{ ...message, content }]
  })
}

/** Ids of its own calls as a writer gives them, by those that the provider gave: the order in the message tells them. */
export function callIdsOf(run: RunWriter, messageId: string): readonly string[] {
  return run
    .standing()
    .openCalls.filter((call) => call.message_id === messageId)
    .map(({ id }) => id)
}
