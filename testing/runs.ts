/**
 * Runs as a producer would give them, generated: commits, and before each commit the deltas of what it commits. And what a
 * transport may do to the deltas.
 */
import {
  type AgentEvent,
  type Commit,
  type ContentBlock,
  type Delta,
  type EndCause,
  type FoldOptions,
  type Joined,
  type Json,
  type Message,
  type Pending,
  type RunContext,
  type Standing,
  type Transcoder,
  deltaEvent,
  endRun,
  factEvent,
  fold,
} from '@factwire/core'
import fc from 'fast-check'

export type ScriptItem = { readonly delta: Delta } | { readonly commit: Commit }

export interface LiveRun {
  readonly run: RunContext
  readonly script: readonly ScriptItem[]
  /** Deltas carry the id of their message and where they start. */
  readonly marked: boolean
  /** The producer took deltas back, so that some of them are in no commit. */
  readonly resets: boolean
  /** Where the thread stands before it, and after it. */
  readonly before: Standing
  readonly after: Standing
}

export const context: RunContext = { threadId: 'thread-1', runId: 'run-1' }

const NASTY = ['\ud800', '\udc00x', '\u2028', '\u0000', '\ufeff', '🤖', '\r\n', '  ', '"\\', '\u0085', 'é日', '']

export const anyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.string({ maxLength: 12 }) },
  { weight: 1, arbitrary: fc.array(fc.constantFrom(...NASTY), { maxLength: 4 }).map((parts) => parts.join('')) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 8 }) },
)

export const anyJson: fc.Arbitrary<Json> = fc
  .oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.record({ q: anyText }),
    fc.constant({}),
    fc.constant(JSON.parse('{"__proto__":{"a":1},"constructor":2}')),
  )
  .map((value) => JSON.parse(JSON.stringify(value)) as Json)

type End = { readonly awaiting: boolean } | { readonly cause: EndCause }

const anyCause: fc.Arbitrary<EndCause> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<EndCause>({ type: 'natural_end' }) },
  fc.constantFrom<EndCause>(
    { type: 'behavior_requested' },
    { type: 'max_steps' },
    { type: 'max_steps', code: 'length' },
    { type: 'max_steps', code: 'budget' },
    { type: 'stopped', code: 'token_budget', detail: 'out of tokens' },
    { type: 'cancelled' },
    { type: 'blocked', reason: 'denied by policy' },
    { type: 'error', failure: { code: 'rate_limited', message: '429' } },
    { type: 'indeterminate' },
  ),
)

const anyResult = fc.record({
  text: anyText,
  is_error: fc.boolean(),
  data: fc.option(anyJson, { nil: undefined }),
  denied: fc.integer({ min: 0, max: 5 }).map((dice) => dice === 0),
  image: fc.integer({ min: 0, max: 5 }).map((dice) => dice === 0),
  output: fc.option(anyText, { nil: undefined }),
})

const anyPart = fc.oneof(
  fc.record({ kind: fc.constant('text' as const), text: anyText }),
  fc.record({
    kind: fc.constant('call' as const),
    name: fc.constantFrom<string>('search', 'read', 'sum'),
    input: anyJson,
    spaced: fc.boolean(),
    /** Streamed, cancelled, and never committed. */
    cancelled: fc.integer({ min: 0, max: 9 }).map((dice) => dice === 0),
    pending: fc.constantFrom('no', 'no', 'client', 'approval'),
    result: anyResult,
  }),
)

const anyStep = fc.record({
  thinking: fc.option(anyText, { nil: undefined }),
  parts: fc.array(anyPart, { maxLength: 5 }),
  /** Where to cut the streamed texts, as fractions of 1,000. */
  cuts: fc.array(fc.integer({ min: 0, max: 1000 }), { maxLength: 6 }),
  interleave: fc.array(fc.nat({ max: 7 }), { maxLength: 12 }),
  reset: fc.integer({ min: 0, max: 7 }).map((dice) => dice === 0),
  announceStep: fc.boolean(),
  inference: fc.boolean(),
  snapshot: fc.option(anyJson, { nil: undefined }),
  oneResultMessage: fc.boolean(),
  reverseResults: fc.boolean(),
})

export interface RunOptions {
  /** Tool ids repeat over steps. Default false. */
  readonly repeatIds?: boolean
}

/** One segment: steps, then an end. */
export function anyRun({ repeatIds = false }: RunOptions = {}): fc.Arbitrary<LiveRun> {
  return fc
    .record({
      steps: fc.array(anyStep, { maxLength: 4 }),
      end: fc.oneof({ weight: 3, arbitrary: anyCause.map((cause) => ({ cause })) }, fc.constant({ awaiting: true })),
      marked: fc.boolean(),
      partial: fc.boolean(),
    })
    .map(({ steps, end, marked, partial }) => build(steps, end, { marked, partial, repeatIds }))
}

/** A run that waits for somebody, and the segment in which it goes on once they have answered. */
export interface ResumedRun {
  readonly first: LiveRun
  readonly second: LiveRun
}

export function anyResumedRun(): fc.Arbitrary<ResumedRun> {
  return fc
    .record({
      steps: fc.array(anyStep, { minLength: 1, maxLength: 2 }),
      more: fc.array(anyStep, { maxLength: 2 }),
      cause: anyCause,
      answers: fc.array(anyResult, { minLength: 1, maxLength: 5 }),
      marked: fc.boolean(),
    })
    .map(({ steps, more, cause, answers, marked }) => {
      const first = build(steps, { awaiting: true }, { marked })
      const messages = first.after.openCalls.map(({ id }, index): Message => {
        const answer = answers[index % answers.length]
        return { id: `tool-${id}`, role: 'tool', content: answer ? [resultOf(answer, id)] : [] }
      })
      return { first, second: build(more, { cause }, { marked, before: first.after, messages, from: steps.length }) }
    })
}

interface BuildOptions {
  readonly marked: boolean
  readonly partial?: boolean
  readonly repeatIds?: boolean
  readonly before?: Standing
  /** What the first commit holds. */
  readonly messages?: readonly Message[]
  /** Number of the first step. */
  readonly from?: number
}

type Step = typeof anyStep extends fc.Arbitrary<infer T> ? T : never
type CallPart = Extract<Step['parts'][number], { kind: 'call' }>

function build(steps: readonly Step[], end: End, options: BuildOptions): LiveRun {
  const { marked, partial = false, repeatIds = false, before = { openCalls: [] }, messages = [], from = 0 } = options
  const script: ScriptItem[] = []
  let standing = before
  const commit = (item: Commit): void => {
    script.push({ commit: item })
    standing = fold(item, standing).after
  }
  commit({ messages, state: { type: 'running' } })
  let pending: Pending[] = []

  steps.forEach((given, position) => {
    const number = from + position
    const last = position === steps.length - 1
    const step = last && 'awaiting' in end ? withClientTool(given) : given
    const id = `run-1-assistant-${number}`
    const calls = step.parts
      .filter((part) => part.kind === 'call')
      .map((part, index) => ({ part, id: repeatIds ? `c${index}` : `c${number}-${index}` }))
    const committed = calls.filter(({ part }) => !part.cancelled)
    const callId = (part: CallPart): string => calls.find((call) => call.part === part)?.id ?? ''

    if (step.reset) {
      script.push(...streamed(step, `${id}-try`, (part) => `${callId(part)}-try`, marked).map((delta) => ({ delta })))
      script.push({ delta: { type: 'stream_reset', reason: 'connection reset' } })
    }
    script.push(...streamed(step, id, callId, marked).map((delta) => ({ delta })))
    for (const { part, id: call } of calls) {
      if (part.cancelled)
        script.push({ delta: { type: 'tool_call_cancelled', id: call, name: part.name, reason: 'lost' } })
    }

    const message = messageOf(step, id, callId)
    if (last && 'cause' in end && partial) {
      commit(endRun(standing, end.cause, message))
      return
    }
    pending =
      last && 'awaiting' in end
        ? committed
            .filter(({ part }) => part.pending !== 'no')
            .map(({ part, id: call }) => ({
              tool_use_id: call,
              kind: part.pending === 'client' ? 'client' : 'approval',
              ...(part.pending === 'approval' ? { approval_id: `perm-${call}`, message: 'may I?' } : {}),
            }))
        : []
    commit({
      messages: [message],
      state: { type: 'running' },
      ...(pending.length > 0 ? { pending } : {}),
      ...(step.inference
        ? {
            inference: {
              model: 'm-large',
              usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
              duration_ms: 12 + number,
            },
          }
        : {}),
    })
    const ran = committed.filter(({ id: call }) => !pending.some((entry) => entry.tool_use_id === call))
    for (const { part, id: call } of ran) {
      if (part.result.output) {
        script.push({ delta: { type: 'tool_output_delta', id: call, name: part.name, delta: part.result.output } })
      }
    }
    const results = (step.reverseResults ? ran.toReversed() : ran).map(({ part, id: call }) =>
      resultOf(part.result, call),
    )
    const extra = step.snapshot === undefined ? {} : { snapshot: step.snapshot }
    if (step.oneResultMessage && results.length > 0) {
      commit({
        messages: [{ id: `tool-${id}`, role: 'tool', content: results }],
        state: { type: 'running' },
        ...extra,
      })
    } else {
      results.forEach((result, index) => {
        commit({
          messages: [{ id: `tool-${result.tool_use_id}`, role: 'tool', content: [result] }],
          state: { type: 'running' },
          ...(index === results.length - 1 ? extra : {}),
        })
      })
    }
  })

  if (standing.state?.type === 'running') {
    if ('cause' in end) commit(endRun(standing, end.cause))
    else commit({ messages: [], state: { type: 'awaiting' }, pending })
  }
  const resets = steps.some((step) => step.reset || step.parts.some(isCancelled))
  return { run: context, script, marked, resets, before, after: standing }
}

/** The tool that the client brought; every other is the agent's own. */
export const CLIENT_TOOL = 'ask_user'

/** Calls that wait for the client are calls of its tool. */
function withClientTool(step: Step): Step {
  const parts = step.parts.map((part) =>
    part.kind === 'call' && part.pending === 'client' ? { ...part, name: CLIENT_TOOL } : part,
  )
  return { ...step, parts }
}

const isCancelled = (part: Step['parts'][number]): boolean => part.kind === 'call' && part.cancelled

/** The deltas of a message, as a provider would stream them. */
function streamed(step: Step, messageId: string, callId: (part: CallPart) => string, marked: boolean): Delta[] {
  const mark = (offset: number): { message_id?: string; offset?: number } =>
    marked ? { message_id: messageId, offset } : {}
  const lanes: Delta[][] = []
  const thinking = step.thinking
  if (thinking !== undefined) {
    lanes.push(fragments(thinking, step.cuts).map(([delta, at]) => ({ type: 'reasoning_delta', delta, ...mark(at) })))
  }
  let textBefore = 0
  for (const part of step.parts) {
    if (part.kind === 'text') {
      const base = textBefore
      lanes.push(
        fragments(part.text, step.cuts).map(([delta, at]) => ({ type: 'text_delta', delta, ...mark(base + at) })),
      )
      textBefore += part.text.length
    } else {
      const id = callId(part)
      const { name } = part
      const announce: Delta = { type: 'tool_call_delta', id, name, args_delta: '', ...mark(0) }
      const args = fragments(argumentsText(part), step.cuts).map(([args_delta, at]): Delta => ({
        type: 'tool_call_delta',
        id,
        name,
        args_delta,
        ...mark(at),
      }))
      lanes.push([announce, ...args])
    }
  }
  const deltas = interleaved(lanes, step.interleave)
  return step.announceStep ? [{ type: 'step_started', message_id: messageId }, ...deltas] : deltas
}

/** Text lanes keep their order among each other, calls begin in theirs; fragments of calls mix. */
function interleaved(lanes: readonly (readonly Delta[])[], picks: readonly number[]): Delta[] {
  const queues = lanes.map((lane) => [...lane])
  const deltas: Delta[] = []
  let turn = 0
  let started = 0
  // A call is announced when its lane opens, so that calls begin in their order.
  const openNext = (): void => {
    const queue = queues[started++]
    const announcement = queue?.[0]?.type === 'tool_call_delta' ? queue.shift() : undefined
    if (announcement) deltas.push(announcement)
  }
  while (queues.some((queue) => queue.length > 0)) {
    const pick = picks.length > 0 ? (picks[turn++ % picks.length] ?? 0) : 0
    const open = queues.slice(0, started).filter((queue) => queue.length > 0)
    const first = open[0]
    if (!first || (pick > 5 && started < queues.length)) {
      openNext()
      continue
    }
    // Text and reasoning are one stream each: only the first open of a kind may go on.
    const candidates = open.filter(
      (queue, index) =>
        queue[0]?.type === 'tool_call_delta' ||
        !open.slice(0, index).some((other) => other[0]?.type === queue[0]?.type),
    )
    const queue = candidates[pick % candidates.length] ?? first
    const next = queue.shift()
    if (next) deltas.push(next)
  }
  return deltas
}

function fragments(text: string, cuts: readonly number[]): [string, number][] {
  const at = [...new Set(cuts.map((cut) => Math.round((cut * text.length) / 1000)))].toSorted((a, b) => a - b)
  const bounds = [0, ...at.filter((cut) => cut > 0 && cut < text.length), text.length]
  return bounds.slice(1).map((end, index) => [text.slice(bounds[index], end), bounds[index] ?? 0])
}

const argumentsText = ({ input, spaced }: CallPart): string => JSON.stringify(input, undefined, spaced ? 1 : undefined)

function messageOf(step: Step, id: string, callId: (part: CallPart) => string): Message {
  const content: ContentBlock[] = []
  if (step.thinking !== undefined) content.push({ type: 'thinking', text: step.thinking })
  for (const part of step.parts) {
    if (part.kind === 'text') content.push({ type: 'text', text: part.text })
    else if (!part.cancelled) {
      const raw = argumentsText(part)
      content.push({
        type: 'tool_use',
        id: callId(part),
        name: part.name,
        input: part.input,
        ...(raw === JSON.stringify(part.input) ? {} : { raw_input: raw }),
      })
    }
  }
  return { id, role: 'assistant', content }
}

function resultOf(result: CallPart['result'], call: string): Extract<ContentBlock, { type: 'tool_result' }> {
  const { text, is_error, data, denied, image } = result
  const content: ContentBlock[] = [{ type: 'text', text }]
  if (image) content.push({ type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } })
  return {
    type: 'tool_result',
    tool_use_id: call,
    content,
    is_error: is_error || denied,
    ...(data === undefined || denied ? {} : { data }),
    ...(denied ? { denied: true } : {}),
  }
}

// ── The stream, and what a transport does to it ──

/** What there is to join at a position of the script: what is committed, and the deltas since. */
export function joinAt({ script, before }: LiveRun, position: number): Joined {
  let standing = before
  let snapshot: Json | undefined
  let pending: readonly Pending[] | undefined
  const messages: Message[] = []
  let open: Delta[] = []
  for (const item of script.slice(0, position)) {
    if ('delta' in item) {
      open.push(item.delta)
      continue
    }
    standing = fold(item.commit, standing).after
    messages.push(...item.commit.messages)
    if (item.commit.snapshot !== undefined) snapshot = item.commit.snapshot
    pending = item.commit.pending
    open = []
  }
  const committed = {
    messages,
    standing,
    ...(snapshot === undefined ? {} : { snapshot }),
    ...(pending === undefined ? {} : { pending }),
  }
  return { committed, open }
}

/** A delta, or the facts of one commit: what a transport does never tears a commit apart. */
export type Unit = readonly AgentEvent[]

/** The run in order, each commit folded. */
export function units({ script, before }: LiveRun, options: FoldOptions = {}): Unit[] {
  let standing = before
  return script.map((item): Unit => {
    if ('delta' in item) return [deltaEvent(item.delta)]
    const { facts, after } = fold(item.commit, standing, options)
    standing = after
    return facts.map(factEvent)
  })
}

type Fate = 'kept' | 'lost' | 'doubled' | 'late'

export type Disturbance =
  | { readonly kind: 'all' }
  | { readonly kind: 'none' }
  /** Only the first deltas arrive. In thousandths. */
  | { readonly kind: 'prefix'; readonly upTo: number }
  /** Each delta is kept, lost, doubled, or comes again a little later. */
  | { readonly kind: 'noise'; readonly fates: readonly Fate[] }
  /** Deltas that belong to nothing stand anywhere. */
  | { readonly kind: 'foreign'; readonly at: readonly number[]; readonly deltas: readonly Delta[] }

const isDelta = (unit: Unit): boolean => unit[0]?.tier === 'delta'

/** The events that arrive. Every fact does, in order. */
export function disturb(run: LiveRun, disturbance: Disturbance, options: FoldOptions = {}): AgentEvent[] {
  const stream = units(run, options)
  switch (disturbance.kind) {
    case 'all':
      return stream.flat()
    case 'none':
      return stream.filter((unit) => !isDelta(unit)).flat()
    case 'prefix': {
      const kept = Math.round((stream.filter(isDelta).length * disturbance.upTo) / 1000)
      let seen = 0
      return stream.filter((unit) => !isDelta(unit) || seen++ < kept).flat()
    }
    case 'noise':
      return noisy(stream, disturbance.fates).flat()
    case 'foreign': {
      disturbance.deltas.forEach((delta, index) => {
        stream.splice(Math.round(((disturbance.at[index] ?? 0) * stream.length) / 1000), 0, [deltaEvent(delta)])
      })
      return stream.flat()
    }
  }
}

function noisy(stream: readonly Unit[], fates: readonly Fate[]): Unit[] {
  const out: Unit[] = []
  const later: Unit[] = []
  let count = 0
  for (const unit of stream) {
    const fate = isDelta(unit) && fates.length > 0 ? fates[count++ % fates.length] : 'kept'
    if (fate !== 'lost') out.push(unit)
    if (fate === 'doubled') out.push(unit)
    if (later.length > 2) out.push(...later.splice(0, 1))
    if (fate === 'late') later.push(unit)
  }
  return out
}

const anyForeign: fc.Arbitrary<Delta> = fc.oneof(
  fc.record({ type: fc.constant('text_delta' as const), delta: anyText }),
  fc.record({ type: fc.constant('reasoning_delta' as const), delta: anyText }),
  fc.record({
    type: fc.constant('text_delta' as const),
    delta: anyText,
    message_id: fc.constantFrom('run-1-assistant-0', 'run-1-assistant-1', 'run-1-assistant-9'),
    offset: fc.nat({ max: 9 }),
  }),
  fc.record({
    type: fc.constant('tool_call_delta' as const),
    id: fc.constantFrom('c0-0', 'c1-0', 'c0-1', 'c9', 'c0'),
    name: fc.constantFrom('search', 'other'),
    args_delta: anyText,
  }),
  fc.record({ type: fc.constant('step_started' as const), message_id: fc.constantFrom('run-1-assistant-1', 'x') }),
  fc.record({ type: fc.constant('stream_reset' as const), reason: fc.constant('why not') }),
  fc.record({
    type: fc.constant('tool_call_cancelled' as const),
    id: fc.constantFrom('c0-0', 'c1-0', 'c9'),
    name: fc.constant('search'),
    reason: fc.constant('lost'),
  }),
)

export const anyDisturbance: fc.Arbitrary<Disturbance> = fc.oneof(
  fc.constant<Disturbance>({ kind: 'all' }),
  fc.constant<Disturbance>({ kind: 'none' }),
  fc.integer({ min: 0, max: 1000 }).map((upTo): Disturbance => ({ kind: 'prefix', upTo })),
  fc
    .array(fc.constantFrom<Fate>('kept', 'kept', 'lost', 'doubled', 'late'), { maxLength: 20 })
    .map((fates): Disturbance => ({ kind: 'noise', fates })),
  fc
    .record({
      at: fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 6, maxLength: 6 }),
      deltas: fc.array(anyForeign, { maxLength: 6 }),
    })
    .map(({ at, deltas }): Disturbance => ({ kind: 'foreign', at, deltas })),
)

/** The frames of a stream in groups, one an event: on the wire only the last frame of a group carries the number. */
export function groupsOf<Frame>(stream: readonly AgentEvent[], target: Transcoder<Frame>): Frame[][] {
  const groups: Frame[][] = []
  let unnumbered: Frame[] = []
  let unsettled = false
  for (const event of stream) {
    if (unsettled && (event.tier === 'delta' || event.event.type === 'run_started')) {
      unnumbered.push(...target.settled())
      unsettled = false
    }
    const frames = event.tier === 'delta' ? target.delta(event.event) : target.fact(event.event)
    unsettled ||= event.tier === 'fact'
    unnumbered.push(...frames)
    if (frames.length === 0) continue
    groups.push(unnumbered)
    unnumbered = []
  }
  groups.push([...unnumbered, ...target.settled(), ...target.close()])
  return groups
}

/** The stream of a client that joins before a position of the script, from a transcoder that was told so. */
export function joinedFrames<Frame>(run: LiveRun, position: number, target: Transcoder<Frame>): Frame[] {
  const frames = [...target.settled()]
  for (const unit of units(run).slice(position)) {
    for (const event of unit) {
      frames.push(...(event.tier === 'delta' ? target.delta(event.event) : target.fact(event.event)))
    }
    if (unit[0]?.tier === 'fact') frames.push(...target.settled())
  }
  return [...frames, ...target.close()]
}
