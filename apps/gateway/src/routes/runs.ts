/** What one can ask of runs beside beginning one: which there are, their events on any wire, saying things to them, ending them. */
import {
  boolean,
  type Decision,
  decision,
  field,
  type Json,
  nonEmptyString,
  object,
  oneOf,
  optional,
  optionalJson,
  own,
  refuse,
  yesOrNo,
} from '@factwire/core'
import type { RunRecord } from '@factwire/hub'
import type { Hono } from 'hono'
import type { Env, Incoming } from '../call.ts'
import { derivedId, digestOf, freshId, keyFrom } from '../ids.ts'
import { messagesIn } from '../messages.ts'
import type { Mount } from '../mount.ts'
import { json } from '../problem.ts'
import { Refused } from '../refused.ts'
import type { Answer } from '../runs.ts'
import { cancel, read } from '../serve-mount.ts'
import type { KeptRun } from '../storage.ts'
import type { Tickets } from '../tickets.ts'

const MOST_INPUTS = 64
const PAGE = 50
const LONGEST_PAGE = 200

export const EVENTS = '/v1/runs/:id/events'

export interface RunRoutes {
  /** By the names of protocols. */
  readonly wires: ReadonlyMap<string, Mount>
  body(incoming: Incoming): Promise<Json>
  readonly tickets: Tickets
}

export function runRoutes(app: Hono<Env>, { wires, body, tickets }: RunRoutes): void {
  app.get('/v1/runs', async (incoming) => {
    const limit = pageOf(incoming)
    const [thread, before] = [incoming.req.query('thread'), incoming.req.query('before')]
    const { storage } = incoming.get('tenant')
    const found = await storage.runs({
      ...(thread === undefined ? {} : { thread }),
      ...(before === undefined ? {} : { before }),
      limit: limit + 1,
    })
    const items = found.slice(0, limit)
    const next = found.length > limit ? (items.at(-1)?.run.runId ?? null) : null
    return json({ items: items.map(shown), next })
  })

  app.get('/v1/runs/:id', async (incoming) => json(shown(await runIn(incoming))))

  app.get(EVENTS, async (incoming) => {
    const name = wireOf(incoming.req.query('as'))
    const mount = wires.get(name)
    if (!mount) throw new Refused(400, 'unknown_wire', `as: expected one of ${[...wires.keys()].join(', ')}`)
    return read(
      mount,
      {
        path: EVENTS,
        of: ({ param }) => ({ run: param('id') ?? '' }),
        position: ({ query }) => query('after'),
        ...(mount.events ? { options: mount.events } : {}),
      },
      incoming,
    )
  })

  app.post('/v1/runs/:id/inputs', async (incoming) => {
    const asked = await body(incoming)
    const given = object(asked, 'body')
    const key = keyFrom(incoming.req.header('idempotency-key'))
    const runId = idOf(incoming)
    // Sent again under the same key, each message has the id that it had.
    const id = (index: number): string =>
      key === undefined ? freshId('message') : derivedId('message', runId, key, String(index))
    const messages = field(given, 'messages', messagesIn(MOST_INPUTS, id))
    for (const [index, { role }] of messages.entries())
      if (role === 'system') refuse(`messages[${index}].role`, 'user or assistant where a thread has begun', role)
    const fresh = key === undefined ? freshId('run') : derivedId('run', 'inputs', runId, key)
    const heard = await incoming.get('tenant').runs.say(runId, {
      messages,
      fresh,
      ...(key === undefined ? {} : { digest: digestOf(asked) }),
    })
    return accepted(heard.status === 'begun' ? 'run_begun' : 'inputs_accepted', heard.runId)
  })

  app.post('/v1/runs/:id/decision', async (incoming) => {
    const given = object(await body(incoming), 'body')
    const callId = field(given, own(given, 'toolCallId') === undefined ? 'tool_call_id' : 'toolCallId', nonEmptyString)
    const runId = idOf(incoming)
    const became = await incoming.get('tenant').runs.decide(runId, callId, answerIn(given))
    const { status, ...approval } = became
    const more = { tool_call_id: callId, ...approval }
    return accepted(status === 'decided' ? 'decision_submitted' : status, runId, more)
  })

  app.post('/v1/runs/:id/cancel', async (incoming) => cancel({ path: '', run: ({ param }) => param('id') }, incoming))

  app.post('/v1/runs/:id/ticket', async (incoming) => {
    const { run } = await runIn(incoming)
    const { token, seconds } = tickets.give(incoming.get('tenant').name, run.runId, Date.now())
    return json({ access_token: token, expires_in: seconds, run_id: run.runId }, 201)
  })
}

/** Which wire the events of a run are asked for on. */
export const wireOf = (as: string | undefined): string => as ?? 'sse'

const idOf = (incoming: Incoming): string => incoming.req.param('id') ?? ''

const runIn = (incoming: Incoming): Promise<RunRecord> => incoming.get('tenant').runs.find(idOf(incoming))

export function pageOf(incoming: Incoming): number {
  const given = incoming.req.query('limit')
  if (given === undefined) return PAGE
  const limit = /^\d{1,4}$/.test(given) ? Number(given) : 0
  return limit >= 1 && limit <= LONGEST_PAGE
    ? limit
    : refuse('limit', `a whole number from 1 to ${LONGEST_PAGE}`, given)
}

/** 202: it is kept, and happens. */
function accepted(status: string, runId: string, more: { readonly [key: string]: Json } = {}): Response {
  const location = `/v1/runs/${encodeURIComponent(runId)}`
  return json({ status, run_id: runId, ...more }, 202, { location, 'x-run-id': runId })
}

/** `action` as Awaken has it, or a plain `approved`; `payload` is what was said, and the result where the client runs the tool. */
function answerIn(given: { readonly [key: string]: unknown }): Answer {
  const action = field(given, 'action', optional(oneOf('resume', 'cancel')))
  const approved = field(given, 'approved', optional(boolean))
  if (action === undefined && approved === undefined) return refuse('action', '"resume" or "cancel"', undefined)
  const refused = action === 'cancel' || approved === false
  const payload = field(given, 'payload', optionalJson)
  const said = { refused, ...(payload === undefined ? {} : { payload }) }
  const text = payload === undefined ? '' : typeof payload === 'string' ? payload : JSON.stringify(payload)
  return {
    decision(pending): Decision {
      // What is neither may be the result of a tool of the client's, and is no answer to a question.
      const meant = payload === undefined ? true : yesOrNo(payload)
      if (!refused && (approved === undefined ? meant === undefined : meant === false)) throw unclear()
      return { ...decision(pending, said), approved: !refused && (approved ?? meant ?? false) }
    },
    result: (callId) => ({
      id: freshId('message'),
      role: 'tool',
      content: [
        {
          type: 'tool_result',
          tool_use_id: callId,
          content: text === '' ? [] : [{ type: 'text', text }],
          is_error: refused,
          ...(payload === undefined || typeof payload === 'string' ? {} : { data: payload }),
        },
      ],
    }),
  }
}

const unclear = (): Refused =>
  new Refused(
    422,
    'unclear_decision',
    'payload: expected a plain yes or no, such as true, false, "yes" or {"approved": false}; beside "approved": true it may be anything but a no',
  )

function shown({ run, standing, lastFact }: RunRecord): Json {
  const { runId, threadId, model, startedAt, wire } = run as KeptRun
  const { state } = standing
  return {
    run_id: runId,
    thread_id: threadId,
    status: state?.type ?? 'running',
    ...(state?.type === 'ended' ? { cause: { ...state.cause } as Json } : {}),
    ...(state?.type === 'awaiting' ? { open_calls: standing.openCalls.map(({ id, name }) => ({ id, name })) } : {}),
    wire,
    model: model ?? null,
    created_at: startedAt ?? null,
    last_fact: lastFact,
  }
}
