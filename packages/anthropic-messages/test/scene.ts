/** Runs as an agent's own loop writes them, and the streams that a server makes of them. */
import {
  type AgentEvent,
  endsSegment,
  type Message,
  type RunContext,
  type RunWriter,
  runWriter,
  type RunWriterOptions,
  type Written,
  writer,
} from '@factwire/core'
import { anthropicMessages, type AnthropicMessagesOptions } from '../src/index.ts'

export const RUN: RunContext = { threadId: 'thread-1', runId: 'run-1', model: 'm-large', agentId: 'helper' }

export const said = (text: string, id = `said-${text}`): Message => ({
  id,
  role: 'user',
  content: [{ type: 'text', text }],
})

export type Play = (run: RunWriter) => readonly Written[]

export function play(script: Play, options: Partial<RunWriterOptions> = {}): readonly AgentEvent[] {
  return script(runWriter({ runId: 'run-1', reasoning: 'text', ...options })).flatMap(({ events }) => events)
}

export const onlyFacts = (events: readonly AgentEvent[]): readonly AgentEvent[] =>
  events.filter(({ tier }) => tier === 'fact')

/** What a server sends of one segment. */
export function bodyOf(
  events: readonly AgentEvent[],
  options: AnthropicMessagesOptions = {},
  context: RunContext = RUN,
): string {
  const { push, close } = writer(anthropicMessages, context, { transcoder: options })
  let text = ''
  for (const event of events) {
    text += push(event)
    if (endsSegment(event)) break
  }
  return text + close()
}
