/** One run in neutral events: text, a call with its result, more text, the end. */
import { type AgentEvent, type Delta, type Fact, deltaEvent, factEvent } from '@factwire/core'

const fact = (event: Fact): AgentEvent => factEvent(event)
const delta = (event: Delta): AgentEvent => deltaEvent(event)

export const started: AgentEvent = fact({ type: 'run_started' })
export const finished: AgentEvent = fact({ type: 'run_finished', exhausted: false, cause: { type: 'natural_end' } })

export const sample: readonly AgentEvent[] = [
  started,
  delta({ type: 'text_delta', delta: 'Let me ', message_id: 'm1', offset: 0 }),
  delta({ type: 'text_delta', delta: 'look.', message_id: 'm1', offset: 7 }),
  delta({ type: 'tool_call_delta', id: 'c1', name: 'weather', args_delta: '{"city":', message_id: 'm1', offset: 0 }),
  delta({ type: 'tool_call_delta', id: 'c1', name: 'weather', args_delta: '"Zürich"}', message_id: 'm1', offset: 8 }),
  fact({ type: 'assistant_message', id: 'm1', content: [{ type: 'text', text: 'Let me look.' }] }),
  fact({
    type: 'tool_call',
    id: 'c1',
    name: 'weather',
    input: { city: 'Zürich' },
    disposition: 'executed',
    message_id: 'm1',
  }),
  fact({
    type: 'inference_completed',
    model: 'demo',
    usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 },
    duration_ms: 840,
  }),
  fact({
    type: 'tool_result',
    id: 'c1',
    content: [{ type: 'text', text: '22 °C' }],
    is_error: false,
    message_id: 't1',
    name: 'weather',
  }),
  fact({ type: 'step_ended', message_id: 'm1' }),
  delta({ type: 'text_delta', delta: 'It is 22 °C.', message_id: 'm2', offset: 0 }),
  fact({ type: 'assistant_message', id: 'm2', content: [{ type: 'text', text: 'It is 22 °C.' }] }),
  fact({ type: 'step_ended', message_id: 'm2' }),
  finished,
]

export function eventLines(events: readonly AgentEvent[]): string {
  return events.map((event) => `${JSON.stringify(event)}\n`).join('')
}

export function parsed(text: string): AgentEvent[] {
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as AgentEvent)
}

export function facts(events: readonly AgentEvent[]): Fact[] {
  return events.flatMap((event) => (event.tier === 'fact' ? [event.event] : []))
}
