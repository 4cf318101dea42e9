/** What the client fold of this wire shows, in the words of no wire. */
import type { ClientView, SeenCall, SeenStatus, SeenTurn, Stage } from '@factwire/conformance'
import { createParser } from 'eventsource-parser'
import { createReducer } from '../src/reduce.ts'
import type { Call, Turn, View, ViewStatus } from '../src/view.ts'
import type { FlatEvent } from '../src/wire.ts'

const STATUS: Readonly<Record<ViewStatus, SeenStatus>> = {
  idle: 'running',
  running: 'running',
  suspended: 'waiting',
  finished: 'finished',
  failed: 'failed',
}

/** A page that reads a stream to where it stops, after what it had read before. */
export function clientView(body: string, { had = '' }: Partial<Stage> = {}): ClientView {
  const { push, view } = createReducer()
  for (const text of [had, body]) {
    const parser = createParser({ onEvent: ({ data }) => push(JSON.parse(data) as FlatEvent) })
    parser.feed(text)
  }
  return seen(view())
}

function seen({
  status,
  before,
  turns: own,
  error,
  state,
  activities,
  termination,
  result,
  response,
  inference,
  run,
}: View): ClientView {
  // A late joiner gets what is committed as history.
  const turns = [...before.filter((message): message is Turn => message.role === 'assistant'), ...own]
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
    warnings: [],
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
