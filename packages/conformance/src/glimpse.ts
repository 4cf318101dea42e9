/** What a client shows of what is not committed yet, and what it ought to show. */
import { type Joined, type Json, patchedDocument } from '@factwire/core'
import type { SeenActivity } from './seen.ts'
import { keyOf } from './stream.ts'
import type { Stage } from './subject.ts'

/** How a client is looked at while a stream goes on. */
export interface Glimpsing {
  /** What it shows before that is committed. */
  readonly shows: readonly Exclude<keyof Glimpse, 'busy'>[]
  read(body: string, stage: Stage): Glimpse | Promise<Glimpse>
  /** What it takes of a document: some clients refuse keys that lead to a prototype. Default: all of it. */
  holds?(document: Json): Json
}

/** Only what `shows` names is looked at. */
export interface Glimpse {
  /** Of the message that is being written; or all text so far, on a wire that has but one. */
  readonly text?: string
  readonly reasoning?: string
  /** By id of the call: its arguments, as text. */
  readonly calls?: Readonly<Record<string, string>>
  /** By id of the call: what its tool prints. */
  readonly output?: Readonly<Record<string, string>>
  readonly state?: Json
  readonly activities?: readonly SeenActivity[]
  /** The wire shows one thing after the other, and is in the middle of one: whatever else there is comes behind it. */
  readonly busy?: boolean
}

export interface Expected {
  readonly text: string
  readonly reasoning: string
  readonly calls: ReadonlyMap<string, string>
  readonly output: ReadonlyMap<string, string>
  /** Undefined where no patch came since it was committed. */
  readonly state: Json | undefined
  /** Those that patches changed since. */
  readonly activities: readonly SeenActivity[]
}

/** What the open deltas of a run say, told by nobody but them. */
export function expectedOf({ committed, open }: Joined): Expected {
  let text = ''
  let reasoning = ''
  const calls = new Map<string, string>()
  const output = new Map<string, string>()
  const state = patchedDocument(committed.snapshot ?? {})
  let patched = false
  const activities = new Map(
    (committed.activities ?? []).map((activity) => [
      keyOf(activity),
      { ...activity, document: patchedDocument(activity.content) },
    ]),
  )
  const changed = new Set<string>()
  for (const delta of open) {
    switch (delta.type) {
      case 'text_delta':
        text += delta.delta
        break
      case 'reasoning_delta':
        reasoning += delta.delta
        break
      case 'tool_call_delta':
        calls.set(delta.id, (calls.get(delta.id) ?? '') + delta.args_delta)
        break
      case 'tool_call_cancelled':
        calls.delete(delta.id)
        break
      case 'stream_reset':
        text = ''
        reasoning = ''
        calls.clear()
        break
      case 'tool_output_delta':
        output.set(delta.id, (output.get(delta.id) ?? '') + delta.delta)
        break
      case 'state_delta':
        state.apply(delta.delta)
        patched = true
        break
      case 'activity_delta':
        if (activities.get(keyOf(delta))?.document.apply(delta.patch)) changed.add(keyOf(delta))
        break
      case 'step_started':
        break
      default:
        delta satisfies never
    }
  }
  return {
    text,
    reasoning,
    calls,
    output,
    state: patched ? state.value() : undefined,
    activities: [...activities].flatMap(([key, { message_id, activity_type, document }]) =>
      changed.has(key) ? [{ message_id, activity_type, content: document.value() }] : [],
    ),
  }
}
