/**
 * Gives every open call what it is due: a result, or somebody to wait for.
 *
 * A tool runs at most once: before it begins, its call is claimed, and after a crash a call that was claimed gets a result that says that
 * nobody knows, unless its tool may be run again.
 */
import { callIn, type ContentBlock, type Json, type OpenCall, type Pending, type ToolUseBlock } from '@factwire/core'
import { runTool, type ToolResult } from './run-tool.ts'
import type { Setting } from './setting.ts'
import { approved, isExpired, pendingOf, type Verdict, verdictOn } from './verdict.ts'

/** A call of the thread, under the id that its provider gave it too: the writer knows it by that. */
export interface JudgedCall {
  readonly id: string
  readonly given: string
  readonly verdict: Verdict
}

/** Those of the open calls that were judged before; the others are of a process before this one. */
export type Judged = ReadonlyMap<string, JudgedCall>

/** The calls that wait for somebody. */
export async function settleCalls(setting: Setting, judged: Judged): Promise<readonly Pending[]> {
  const { run, publish, notes, clock } = setting
  const calls = await Promise.all(run.standing().openCalls.map((call) => judgedAgain(setting, judged, call)))
  const running: JudgedCall[] = []
  const waiting: Pending[] = []
  for (const { id, given, verdict } of calls) {
    const decision = notes.decisions.get(id)
    if (verdict.type === 'refuse') {
      await publish(run.toolResult(given, verdict.reason, { is_error: true }))
    } else if (verdict.type === 'approve' && !decision && isExpired(verdict.asked, clock.now())) {
      await publish(run.toolResult(given, EXPIRED, { denied: true }))
    } else if (verdict.type === 'client' || (verdict.type === 'approve' && !decision)) {
      // By the id that the writer knows it by: another call may have been given the one that it has.
      const pending = pendingOf(given, verdict)
      if (pending) waiting.push(pending)
    } else if (verdict.type === 'approve' && decision && !decision.approved) {
      await publish(run.toolResult(given, denialOf(decision.payload), { denied: true }))
    } else running.push({ id, given, verdict })
  }
  await Promise.all(running.map((call) => settleByTool(setting, call)))
  return waiting
}

async function judgedAgain(setting: Setting, judged: Judged, { id, name }: OpenCall): Promise<JudgedCall> {
  const before = judged.get(id)
  if (before) return before
  const block: ToolUseBlock = callIn(setting.run.messages(), id) ?? { type: 'tool_use', id, name, input: null }
  return {
    id,
    given: id,
    verdict: await verdictOn(block, setting.tools, setting.stop, setting.pending.get(id)),
  }
}

async function settleByTool(setting: Setting, { id, given, verdict }: JudgedCall): Promise<void> {
  const { run, publish, notes, limits, clock, stop, runId, threadId } = setting
  const decision = notes.decisions.get(id)
  const made = verdict.type === 'approve' && decision ? await approved(verdict, decision, stop) : verdict
  if (stop.aborted) return
  if (made.type === 'refuse') return publish(run.toolResult(given, made.reason, { is_error: true }))
  if (made.type !== 'run') return
  const { tool, input, changed } = made
  if (!tool.repeatable && !(await notes.claim(id))) {
    return publish(run.toolResult(given, UNKNOWN, { is_error: true }))
  }
  const result = await runTool(tool, input, {
    runId,
    threadId,
    callId: id,
    ...(decision ? { decision } : {}),
    clock,
    stop,
    timeoutMs: tool.timeoutMs ?? limits.toolMs,
    graceMs: limits.graceMs,
    output: (fragment) => void publish(run.toolOutput(given, fragment)),
  })
  if (result) await publish(run.toolResult(given, saying(changed, result.content), result.outcome))
}

/** The thread has the arguments of the model: with others the result says so. */
function saying(changed: Json | undefined, content: ToolResult['content']): ToolResult['content'] {
  if (changed === undefined) return content
  const note: ContentBlock = { type: 'text', text: `The arguments were changed to ${JSON.stringify(changed)}.\n\n` }
  return [note, ...(typeof content === 'string' ? [{ type: 'text', text: content } as const] : content)]
}

const EXPIRED = 'The call was denied: nobody had decided in time.'

const UNKNOWN = 'No result: the process ended while the tool was running. It is not known what it has done.'

function denialOf(payload: unknown): string {
  const words = typeof payload === 'string' && payload !== '' ? ` They said: ${payload}` : ''
  return `The call was denied.${words}`
}
