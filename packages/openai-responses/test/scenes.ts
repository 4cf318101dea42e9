/** Runs of an agent, as its writer tells them, and their streams on this wire. */
import {
  type AgentEvent,
  type Message,
  type RunContext,
  runWriter,
  type RunWriter,
  type Written,
  writer,
} from '@factwire/core'
import { openaiResponses, type OpenAiResponsesOptions } from '../src/index.ts'

export const RUN: RunContext = { threadId: 'thread-1', runId: 'run-1', model: 'm-1', startedAt: 1_790_000_000_000 }

/** The client brings this one. */
export const OPTIONS: OpenAiResponsesOptions = { clientTools: ['choose'] }

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, thinking_tokens: 2 }
const inference = { model: 'm-1', duration_ms: 12, usage }

export type Tell = (run: RunWriter) => readonly Written[]

export interface Told {
  readonly events: readonly AgentEvent[]
  /** The thread after it. */
  readonly thread: readonly Message[]
}

export function tell(scene: Tell): Told {
  const run = runWriter({ runId: RUN.runId, reasoning: 'text' })
  return { events: scene(run).flatMap(({ events }) => events), thread: run.messages() }
}

/** Only what is committed, as somebody sees it who comes when all is over. */
export const factsOf = (events: readonly AgentEvent[]): readonly AgentEvent[] =>
  events.filter(({ tier }) => tier === 'fact')

export function bodyOf(
  events: readonly AgentEvent[],
  options: OpenAiResponsesOptions = OPTIONS,
  history: readonly Message[] = [],
): string {
  const { push, close } = writer(openaiResponses, { ...RUN, history }, { transcoder: options })
  return events.map(push).join('') + close()
}

export const text: Tell = (run) => [run.text('Hel'), run.text('lo.'), run.commit({ inference }), run.end()]

export const reasoning: Tell = (run) => [
  run.reasoning('Let me '),
  run.reasoning('see.'),
  run.text('It is '),
  run.text('4.'),
  run.end(),
]

export const tool: Tell = (run) => [
  run.text('I look.'),
  run.toolCall('call_a', 'look_up', '{"city":'),
  run.toolCall('call_a', 'look_up', '"Oslo"}'),
  run.commit({ inference }),
  run.toolResult('call_a', '4 degrees'),
  run.text('It is cold.'),
  run.end(),
]

export const parallel: Tell = (run) => [
  run.toolCall('call_a', 'look_up', '{"city":"Oslo"}'),
  run.toolCall('call_b', 'look_up', '{"city":"Rome"}'),
  run.commit(),
  run.toolResult('call_b', 'hot'),
  run.toolResult('call_a', 'gone', { is_error: true }),
  run.text('Done.'),
  run.end(),
]

export const clientTool: Tell = (run) => [
  run.text('Which?'),
  run.toolCall('call_c', 'choose', '{"from":', 'pending_client'),
  run.toolCall('call_c', 'choose', '["red"]}', 'pending_client'),
  run.await(),
]

export const approval: Tell = (run) => [
  run.text('Shall I?'),
  run.toolCall('call_r', 'remove', '{"path":"/tmp/a"}', 'pending_builtin'),
  run.await([{ tool_use_id: 'call_r', kind: 'approval', approval_id: 'perm-1', message: 'Remove it?' }]),
]

export const exhausted: Tell = (run) => [run.text('So far.'), run.end({ type: 'max_steps' })]

export const length: Tell = (run) => [run.text('And then'), run.end({ type: 'max_steps', code: 'length' })]

export const refused: Tell = (run) => [run.text('I cannot'), run.end({ type: 'blocked', reason: 'refusal' })]

export const filtered: Tell = (run) => [run.text('And'), run.end({ type: 'blocked', reason: 'content_filter' })]

export const failed: Tell = (run) => [
  run.text('I look.'),
  run.toolCall('call_a', 'look_up', '{}'),
  run.commit(),
  run.end({ type: 'error', failure: { code: 'rate_limited', message: 'too many requests' } }),
]

export const cancelled: Tell = (run) => [
  run.text('I begin'),
  run.toolCall('call_a', 'look_up', '{}'),
  run.commit(),
  run.end({ type: 'cancelled' }),
]

/** Cancelled while the client's call was written. */
export const cancelledClient: Tell = (run) => [
  run.text('Which?'),
  run.toolCall('call_c', 'choose', '{"from":["red"]}', 'pending_client'),
  run.end({ type: 'cancelled' }),
]
