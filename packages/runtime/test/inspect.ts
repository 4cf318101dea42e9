/** What is wrong with a run that is over, in words. Nothing, or the test fails with them. */
import { type AgentEvent, endsSegment, type Message, writer } from '@factwire/core'
import { history } from '@factwire/openai-chat'
import { objection } from '@factwire/provider'
import { sse } from '@factwire/sse'
import { clientView } from '../../sse/test/client.ts'
import { askable } from '../src/index.ts'
import { outline, RUN, said, type Trace } from './agent.ts'
import { type MemoryStore, refolded } from './store.ts'

const FOLD = { reasoning: 'text' } as const

export function wrongWith(store: MemoryStore, trace: Trace): readonly string[] {
  const { messages, standing } = store.thread()
  const wrong = [...wrongThread(messages), ...wrongStreams(store.events)]
  if (standing.state?.type !== 'ended') wrong.push(`the run is ${standing.state?.type ?? 'not begun'}`)
  if (standing.openCalls.length > 0) wrong.push(`open: ${standing.openCalls.map(({ id }) => id).join(', ')}`)
  if (!same(refolded(store.commits, FOLD), store.facts())) wrong.push('the store folds to other facts than were told')
  for (const fact of store.facts()) {
    const ids = fact.type === 'awaiting' ? (fact.pending ?? []).map(({ tool_use_id }) => tool_use_id) : []
    wrong.push(...doubles(ids).map((id) => `${id} is waited for twice`))
  }
  for (const line of doubles(trace.filter((each) => each !== 'fail').map(callOf))) wrong.push(`ran twice: ${line}`)
  return wrong.length > 0 ? [...wrong, ...outline(messages)] : wrong
}

function wrongThread(messages: readonly Message[]): string[] {
  const blocks = messages.flatMap(({ content }) => content)
  const calls = blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))
  const results = blocks.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []))
  const wrong = [
    ...doubles(messages.map(({ id }) => id)).map((id) => `two messages ${id}`),
    ...doubles(calls).map((id) => `two calls ${id}`),
    ...doubles(results).map((id) => `two results of ${id}`),
    ...calls.filter((id) => !results.includes(id)).map((id) => `no result of ${id}`),
    ...results.filter((id) => !calls.includes(id)).map((id) => `a result of ${id}, which nobody called`),
  ]
  const next = [...messages, said('And now?')]
  const asked = objection({ stream: true, messages: history({ messages: askable(next) }) })
  if (asked !== undefined) wrong.push(`a model would refuse it: ${asked}`)
  // As it is stored, with nothing mended, it may only be wrong where the model's own arguments are, or where the user spoke twice.
  const stored = objection({ stream: true, messages: history({ messages: next }) })
  if (stored !== undefined && !/not JSON|no object|of the user in a row/.test(stored))
    wrong.push(`as stored: ${stored}`)
  return wrong
}

/** Each segment, for a client that saw all of it: what it ends with is what the facts alone give. */
function wrongStreams(events: readonly AgentEvent[]): string[] {
  return segmentsOf(events).flatMap((segment) => {
    const live = clientView(bodyOf(segment))
    const facts = clientView(bodyOf(segment.filter(({ tier }) => tier === 'fact')))
    const wrong = live.warnings.map((warning) => `a client warns: ${warning}`)
    // Reasoning is no fact on that wire: whoever was not there has none.
    const plain = ({ turns, status, code, waitingFor }: typeof live): unknown => ({
      turns: turns.map(({ id, text, calls }) => ({ id, text, calls })),
      status,
      code,
      waitingFor,
    })
    if (!same(plain(live), plain(facts)))
      wrong.push(`shown: ${JSON.stringify(plain(live))}`, `true: ${JSON.stringify(plain(facts))}`)
    return wrong
  })
}

export function segmentsOf(events: readonly AgentEvent[]): readonly (readonly AgentEvent[])[] {
  const segments: AgentEvent[][] = [[]]
  for (const event of events) {
    segments.at(-1)?.push(event)
    if (endsSegment(event)) segments.push([])
  }
  return segments.filter((segment) => segment.length > 0)
}

function bodyOf(events: readonly AgentEvent[]): string {
  const { push, close } = writer(sse, RUN)
  return events.map(push).join('') + close()
}

const callOf = (line: string): string => line.split(' ').slice(0, 2).join(' ')
const doubles = (values: readonly string[]): readonly string[] =>
  values.filter((value, index) => values.indexOf(value) < index)
const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)
