/** What the client fold of this wire shows, in the words of no wire. */
import type { ClientView, Glimpse, SeenCall, SeenStatus, SeenTurn, Stage } from '@factwire/conformance'
import { createParser } from 'eventsource-parser'
import { createReducer } from '../src/reduce.ts'
import { type Call, type Turn, type View, type ViewStatus, ended } from '../src/view.ts'
import type { FlatEvent } from '../src/wire.ts'

const STATUS: Readonly<Record<ViewStatus, SeenStatus>> = {
  idle: 'running',
  running: 'running',
  suspended: 'waiting',
  finished: 'finished',
  failed: 'failed',
}

/**
 * A page that reads a stream to where it stops, after what it had read before. The fold never complains, so what it lets go
 * is noted for it; and a run that never started and claims to be no failure is where a reader gives up.
 */
export function clientView(body: string, { had = '' }: Partial<Stage> = {}): ClientView {
  const reducer = createReducer()
  const warnings: string[] = []
  let rejected: string | undefined
  const parser = createParser({
    onEvent({ data }) {
      if (rejected !== undefined) return
      const event = JSON.parse(data) as FlatEvent
      const before = reducer.view()
      reducer.push(event)
      const after = reducer.view()
      if (isLost(event, before, after)) warnings.push(`${event.event_type} is lost`)
      if (isUnstarted(event, after)) rejected = after.error?.message
    },
  })
  parser.feed(had)
  parser.reset()
  parser.feed(body)
  return { ...seen(reducer.view()), warnings, ...(rejected === undefined ? {} : { rejected }) }
}

/** What the page shows while the stream goes on. */
export function clientGlimpse(body: string): Glimpse {
  const reducer = createReducer()
  const parser = createParser({ onEvent: ({ data }) => reducer.push(JSON.parse(data) as FlatEvent) })
  parser.feed(body)
  const view = reducer.view()
  const turns = turnsOf(view)
  const last = turns.at(-1)
  const calls = turns.flatMap((turn) => turn.calls)
  return {
    text: last?.text ?? '',
    reasoning: last?.reasoning ?? '',
    calls: Object.fromEntries(calls.map(({ id, argumentsText }) => [id, argumentsText])),
    output: Object.fromEntries(calls.map(({ id, output }) => [id, output])),
    ...(view.state === undefined ? {} : { state: view.state }),
    activities: view.activities,
  }
}

/** After an end nobody listens; a fragment of a call whose turns are all as they were went nowhere. */
function isLost(event: FlatEvent, before: View, after: View): boolean {
  if (event.event_type === 'run_start') return false
  if (ended(before)) return true
  if (event.event_type !== 'tool_call_delta' && event.event_type !== 'tool_call_stream_delta') return false
  const [old, now] = [turnsOf(before), turnsOf(after)]
  return old.length === now.length && old.every((turn, index) => turn === now[index])
}

/** A failure that the stream does not tell of is the fold's own. */
const isUnstarted = (event: FlatEvent, { status, termination }: View): boolean =>
  event.event_type === 'run_finish' && status === 'failed' && termination === undefined

/** A late joiner gets what is committed as history. */
const turnsOf = ({ before, turns }: View): Turn[] => [
  ...before.filter((message): message is Turn => message.role === 'assistant'),
  ...turns,
]

function seen(view: View): Omit<ClientView, 'warnings' | 'rejected'> {
  const { status, error, state, activities, termination, result, response, inference, run } = view
  const turns = turnsOf(view)
  const waiting = turns.flatMap(({ calls }) => calls).filter((call) => call.status === 'suspended')
  return {
    status: STATUS[status],
    ...(error?.code === undefined ? {} : { code: error.code }),
    turns: turns.map(seenTurn),
    ...(state === undefined ? {} : { state }),
    ...(activities.length === 0
      ? {}
      : {
          activities: activities.map(({ message_id, activity_type, content }) => ({
            message_id,
            activity_type,
            content,
          })),
        }),
    ...(status === 'suspended' ? { waitingFor: waiting.map(({ id }) => id) } : {}),
    more: { termination, result, response, inference, run },
  }
}

const seenTurn = ({ id, text, reasoning, calls }: Turn): SeenTurn => ({
  id,
  text,
  reasoning,
  calls: calls.map(seenCall),
})

function seenCall({ id, name, arguments: value, status, result }: Call): SeenCall {
  const failed = status === 'failed' || status === 'denied' || status === 'cancelled'
  return {
    id,
    name,
    arguments: value ?? null,
    ...(result
      ? {
          result: {
            text: result.text,
            ...(failed ? { is_error: true } : {}),
            ...(status === 'denied' ? { denied: true } : {}),
            ...(result.data === undefined ? {} : { data: result.data }),
          },
        }
      : {}),
  }
}
