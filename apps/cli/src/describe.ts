/** A neutral event in, the words of its line in a timeline out. Nothing here is safe to print yet: it is the stream's text. */
import {
  type Delta,
  type EndCause,
  type Fact,
  type Json,
  type TokenUsage,
  type ToolResultFact,
  textOf,
} from '@factwire/core'

export interface Words {
  readonly label: string
  /** Which message, call or activity it is about. */
  readonly about?: string | undefined
  readonly detail?: string | undefined
}

export function describeFact(fact: Fact): Words {
  switch (fact.type) {
    case 'run_started':
      return { label: 'run started' }
    case 'assistant_message':
      return { label: 'message', about: fact.id, detail: quoted(textOf(fact.content)) }
    case 'assistant_thinking':
      return { label: 'thinking', about: fact.message_id, detail: fact.text === undefined ? '' : quoted(fact.text) }
    case 'tool_call': {
      const input = fact.raw_input ?? JSON.stringify(fact.input)
      return { label: 'call', about: fact.id, detail: `${fact.name} ${input} (${fact.disposition})` }
    }
    case 'tool_result':
      return { label: 'result', about: fact.id, detail: became(fact) + quoted(textOf(fact.content)) + also(fact.data) }
    case 'awaiting': {
      const pending = fact.pending?.map(({ tool_use_id, kind }) => `${tool_use_id} (${kind})`)
      return { label: 'awaiting', detail: pending?.join(', ') ?? fact.pending_tool_use_id ?? '' }
    }
    case 'continuation': {
      const said = fact.messages?.map(({ id, role, content }) => ` ${role} ${id} ${quoted(textOf(content))}`) ?? []
      const how = fact.steered ? 'steered' : 'of itself'
      return { label: 'continuation', detail: `${how}${fact.detail === null ? '' : also(fact.detail)}${said.join('')}` }
    }
    case 'run_finished':
      return { label: 'run finished', detail: describeEnd(fact) + also(fact.result) }
    case 'run_failed':
      return { label: 'run failed', about: fact.code, detail: fact.message }
    case 'step_ended':
      return { label: 'step ended', about: fact.message_id }
    case 'inference_completed':
      return { label: 'inference', about: fact.model, detail: describeUsage(fact.usage) + took(fact.duration_ms) }
    case 'state_snapshot':
      return { label: 'state', detail: JSON.stringify(fact.snapshot) }
    case 'activity_snapshot':
      return { label: 'activity', about: fact.message_id, detail: fact.activity_type + also(fact.content) }
  }
}

/** A piece of something that grows: pieces of one item that come one after the other make one line. */
export interface Fragment {
  readonly item: string
  readonly text: string
}

export function fragmentOf(delta: Delta): Fragment | undefined {
  switch (delta.type) {
    case 'text_delta':
    case 'reasoning_delta':
      return { item: delta.message_id ?? '', text: delta.delta }
    case 'tool_call_delta':
      return { item: delta.id, text: delta.args_delta }
    case 'tool_output_delta':
      return { item: delta.id, text: delta.delta }
    default:
      return undefined
  }
}

/** `text` is what its neighbours say together with it, where it is a fragment. */
export function describeDelta(delta: Delta, text: string): Words {
  switch (delta.type) {
    case 'text_delta':
      return { label: 'text', about: delta.message_id, detail: quoted(text) }
    case 'reasoning_delta':
      return { label: 'reasoning', about: delta.message_id, detail: quoted(text) }
    case 'tool_call_delta':
      return { label: 'arguments', about: delta.id, detail: `${delta.name} ${text}` }
    case 'step_started':
      return { label: 'step started', about: delta.message_id }
    case 'tool_output_delta':
      return { label: 'output', about: delta.id, detail: `${delta.name} ${quoted(text)}` }
    case 'state_delta':
      return { label: 'state patch', detail: JSON.stringify(delta.delta) }
    case 'activity_delta':
      return { label: 'activity patch', about: delta.message_id, detail: delta.activity_type + also(delta.patch) }
    case 'tool_call_cancelled':
      return { label: 'call cancelled', about: delta.id, detail: `${delta.name}: ${delta.reason}` }
    case 'stream_reset':
      return { label: 'stream reset', detail: delta.reason }
  }
}

/** How a run ended that did not fail. */
export function describeEnd({ exhausted, cause }: { readonly exhausted: boolean; readonly cause?: EndCause }): string {
  const words = cause?.type.replaceAll('_', ' ') ?? (exhausted ? 'max steps' : '')
  switch (cause?.type) {
    case 'stopped':
      return `${words}: ${cause.detail ?? cause.code}`
    case 'blocked':
      return `${words}: ${cause.reason}`
    default:
      return words
  }
}

export function describeUsage(usage: TokenUsage | undefined): string {
  if (!usage) return 'usage unknown'
  const { prompt_tokens: prompt, completion_tokens: completion } = usage
  return `${prompt ?? '?'} tokens in, ${completion ?? '?'} out`
}

/** A wire that does not tell how long it took gives 0. */
function took(milliseconds: number): string {
  return milliseconds > 0 ? `, ${milliseconds} ms` : ''
}

function became({ denied, cancelled, is_error }: ToolResultFact): string {
  if (denied) return 'denied '
  if (cancelled) return 'cancelled '
  return is_error ? 'error ' : ''
}

function quoted(text: string): string {
  return `"${text}"`
}

function also(value: Json | readonly unknown[] | undefined): string {
  return value === undefined ? '' : ` ${JSON.stringify(value)}`
}
