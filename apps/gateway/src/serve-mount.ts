/** Serves whatever a mount maps: begins and shows runs, gives whole answers, ends runs. */
import type { Fact, Json, Message, RequestOptions, RunContext, RunRequest } from '@factwire/core'
import { callOf, type Incoming } from './call.ts'
import { freshId, derivedId, digestOf, idFrom, keyFrom } from './ids.ts'
import type { Call, CancelRoute, Mount, Place, ReadRoute, StartRoute } from './mount.ts'
import { json } from './problem.ts'
import { Refused } from './refused.ts'
import { having, idHeaders, open, type Opened, streamed } from './streams.ts'
import type { Tenant } from './tenants.ts'
import { segmentsOf } from './thread.ts'
import { toldAgain } from './told-again.ts'

export async function start(mount: Mount, route: StartRoute, incoming: Incoming, body: Json): Promise<Response> {
  const prefer = incoming.req.header('prefer') ?? ''
  const isAsync = /(?:^|[\s,;])respond-async(?:$|[\s,;])/i.test(prefer)
  // Looked at before anything is begun: then the request can be sent again. Who waits for a whole answer has a place, as who reads has.
  const letGo = isAsync ? () => undefined : incoming.get('tenant').room()
  incoming.req.raw.signal.addEventListener('abort', letGo, { once: true })
  try {
    return await startHere(mount, route, incoming, { body, isAsync, letGo })
  } finally {
    letGo()
  }
}

interface Starting {
  readonly body: Json
  readonly isAsync: boolean
  letGo(): void
}

async function startHere(
  { protocol }: Mount,
  route: StartRoute,
  incoming: Incoming,
  { body, isAsync, letGo }: Starting,
): Promise<Response> {
  const call = callOf(incoming)
  const tenant = incoming.get('tenant')
  const asked = withoutOurs(protocol.request(body), tenant)
  const { keyed, ...names } = namesOf(route, asked, call, body)
  const model = route.model?.(asked)
  const instructions = route.instructions?.(asked)
  const again = route.again?.(asked)
  const { signal } = incoming.req.raw
  const wantsStream = asked.stream && !isAsync
  let had: readonly Message[] = []
  const begun = tenant.runs.begin<Opened | undefined>({
    ...names,
    wire: protocol.name,
    ...(model === undefined ? {} : { model }),
    ...(instructions === undefined ? {} : { instructions }),
    ...(again === undefined ? {} : { again }),
    ...(route.kept ? { kept: route.kept(asked) } : {}),
    read: (known) => withoutOurs(named(route, protocol.request(body, known), known, keyed), tenant),
    ...(route.callOf === undefined ? {} : { callOf: route.callOf }),
    async look(place, brought, before) {
      had = [...before, ...brought]
      if (!wantsStream) return undefined
      const transcoder = route.transcoder?.(asked, place, call)
      const options = transcoder === undefined ? {} : { transcoder }
      // It has said what came before, or has it from here.
      const opened = await open(tenant, place.runId, having(protocol, brought, before), { ...options, has: 'thread' })
      // It is counted as a reader now.
      letGo()
      return opened
    },
  })
  const { runId, threadId, looked, over } = await begun
  const ids = idHeaders(runId, threadId)
  if (looked) return streamed(looked, incoming, { ids, hasBegun: true, form: route.form?.(call) })
  if (isAsync) {
    const location = `/v1/runs/${encodeURIComponent(runId)}`
    const headers = { ...ids, location, 'preference-applied': 'respond-async' }
    return json({ run_id: runId, thread_id: threadId }, 202, headers)
  }

  // Whoever waits for a whole answer has no other way to stop it than to leave.
  const leave = (): void => void tenant.hub.ask(runId, { type: 'cancelled' }).catch(() => undefined)
  if (protocol.resume === 'none') {
    signal.addEventListener('abort', leave, { once: true })
    // It may have left while its run was begun.
    if (signal.aborted) leave()
  }
  await over
  signal.removeEventListener('abort', leave)
  const { facts, place, ...last } = await segmentOf(tenant, runId)
  const run = had.length > 0 ? { ...last.run, history: had } : last.run
  const answer = route.complete ? route.complete(facts, run, asked, place) : protocol.complete?.(facts, run)
  return whole(answer, facts, ids, route.failed)
}

/** What is given to a client that wants one answer. */
function whole(
  answer: unknown,
  facts: readonly Fact[],
  ids: Readonly<Record<string, string>>,
  failed: number = 500,
): Response {
  if (answer === undefined) throw new Refused(400, 'invalid_value', 'stream: this wire has no whole answers')
  const isFailed = facts.some(({ type }) => type === 'run_failed') || isFailure(answer)
  return isFailed ? json(answer, failed, { ...ids, 'x-should-retry': 'false' }) : json(answer, 200, ids)
}

const isFailure = (answer: unknown): boolean =>
  typeof answer === 'object' && answer !== null && 'error' in answer && !!answer.error

export async function read({ protocol }: Mount, route: ReadRoute, incoming: Incoming): Promise<Response> {
  const call = callOf(incoming)
  const tenant = incoming.get('tenant')
  const which = route.of(call)
  const record =
    which && ('run' in which ? await tenant.storage.facts.load(which.run) : await tenant.runs.lastOf(which.thread))
  if (!record) throw new Refused(404, 'unknown_run', 'there is no such run')
  const { runId, threadId } = record.run
  const ids = idHeaders(runId, threadId)
  if (route.wantsWhole?.(call)) {
    const wanted = route.segment?.(call)
    const now = await segmentOf(tenant, runId, wanted)
    if (!now.isOver) {
      const letGo = tenant.room()
      incoming.req.raw.signal.addEventListener('abort', letGo, { once: true })
      await tenant.runs.segments.active.get(runId)?.over
      letGo()
    }
    const { facts, run, place, kept } = now.isOver ? now : await segmentOf(tenant, runId, wanted)
    const answer = route.complete ? route.complete(facts, run, place, kept) : protocol.complete?.(facts, run)
    return whole(answer, facts, ids, 200)
  }
  if (route.liveOnly && record.standing.state?.type === 'ended')
    return new Response(null, { status: 204, headers: ids })
  const again = route.transcoder || route.segment ? await segmentOf(tenant, runId, route.segment?.(call)) : undefined
  const transcoder = again ? route.transcoder?.(call, again.place, again.kept) : route.options?.(call)
  if (again?.isOver && route.segment) {
    const letGo = tenant.room('2')
    incoming.req.raw.signal.addEventListener('abort', letGo, { once: true })
    const { body, headers } = toldAgain(protocol, again.run, again.facts, transcoder, letGo)
    return new Response(body, { headers: { ...Object.fromEntries(headers), ...ids } })
  }
  const lastEventId = call.header('last-event-id') ?? route.position?.(call)
  const opened = await open(tenant, runId, protocol, {
    ...(lastEventId === undefined ? {} : { lastEventId }),
    ...(transcoder === undefined ? {} : { transcoder }),
    onLeave: 'keep',
  })
  return streamed(opened, incoming, { ids, hasBegun: false, form: route.form?.(call) })
}

export async function cancel(route: CancelRoute, incoming: Incoming): Promise<Response> {
  const call = callOf(incoming)
  const runId = route.run(call) ?? ''
  const tenant = incoming.get('tenant')
  const wanted = route.segment?.(call)
  const isAsked = await tenant.runs.cancel(runId, wanted)
  if (route.complete) {
    if (isAsked) await endOf(tenant, runId)
    const { facts, run, place, kept } = await segmentOf(tenant, runId, wanted)
    return json(route.complete(facts, run, place, kept), 200, idHeaders(runId, run.threadId))
  }
  return json({ status: isAsked ? 'cancel_requested' : 'run_ended', run_id: runId }, 202, { 'x-run-id': runId })
}

/** Milliseconds that whoever ends a run waits for its end, where a tool does not let go of it. */
const END = 5000

async function endOf({ runs }: Tenant, runId: string): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, END)
  })
  await Promise.race([runs.segments.active.get(runId)?.over, late])
  clearTimeout(timer)
}

/** A tool of the server is the server's, whoever else brings one of that name. */
function withoutOurs<Asked extends RunRequest>(asked: Asked, { agents }: Tenant): Asked {
  return { ...asked, tools: asked.tools.filter(({ name }) => !agents.tools.has(name)) }
}

interface Names {
  readonly threadId?: string
  readonly runId?: string
  readonly follows?: string
  /** What ids come from where the request has an idempotency key. */
  readonly keyed?: readonly string[]
  readonly digest?: string
}

/** With an idempotency key the ids are those of the key: sent again, the request finds the run that it has begun. */
function namesOf(route: StartRoute, asked: RunRequest, call: Call, body: Json): Names {
  const follows = route.follows?.(asked)
  const thread = follows === undefined ? route.thread(asked, call) : undefined
  const run = route.run?.(asked, call)
  const key = keyFrom(call.header('idempotency-key'))
  const keyed = key === undefined ? undefined : [route.path, thread ?? follows ?? '', key]
  const runId = run ?? (keyed && derivedId('run', ...keyed))
  return {
    ...(keyed === undefined ? {} : { keyed }),
    ...(keyed === undefined || run !== undefined ? {} : { digest: digestOf(body) }),
    ...(follows === undefined ? {} : { follows }),
    ...(thread === undefined ? {} : { threadId: idFrom(thread, 'thread id') }),
    ...(runId === undefined ? {} : { runId: idFrom(runId, 'run id') }),
  }
}

/** Sent again under the same key, each message has the id that it had, by its place. */
function named(
  { messageIds, nameless }: StartRoute,
  request: RunRequest,
  { known }: RequestOptions,
  keyed: readonly string[] | undefined,
): RunRequest {
  const without = nameless?.(request)
  const messages = request.messages.map((message) => {
    const index = without?.indexOf(message.id) ?? -1
    if (messageIds === 'client' && index < 0) return message
    const place = index < 0 ? message.id : String(index)
    return { ...message, id: keyed === undefined ? freshId('message') : derivedId('message', ...keyed, place) }
  })
  return { ...request, messages: messages.filter(({ id }) => !known?.has(id)) }
}

interface SegmentAgain {
  readonly facts: readonly Fact[]
  /** As it was when the segment began. */
  readonly run: RunContext
  readonly place: Place
  readonly kept: Json | undefined
  /** Nothing comes after its last fact. */
  readonly isOver: boolean
}

/** @throws Refused 404 where there is no such segment. */
async function segmentOf({ storage, runs }: Tenant, runId: string, wanted?: number): Promise<SegmentAgain> {
  const { run } = await runs.find(runId)
  const { facts, before, asked, segment } = await segmentsOf(storage.facts, runId, wanted)
  const last = Math.max(segment - 1, 0)
  const place = { runId, segment: wanted ?? last }
  // The first one is there before it has said anything.
  if (place.segment > last) throw new Refused(404, 'unknown_run', 'there is no such answer of the run')
  const history = [...(run.history ?? []), ...before]
  const isOver = place.segment < last || ENDS.has(facts.at(-1)?.type ?? 'run_started')
  return { facts, run: { ...run, history }, place, kept: asked, isOver }
}

const ENDS: ReadonlySet<Fact['type']> = new Set(['awaiting', 'run_finished', 'run_failed'])
