/**
 * Arbitraries of the neutral vocabulary, for the tests of every package: all variants, all optional fields, hard text, hard keys,
 * and ids that collide across kinds. Fields stand in the order of their interfaces.
 */
import {
  type Activity,
  type AgentEvent,
  type Commit,
  type ContentBlock,
  type Delta,
  type Disposition,
  deltaEvent,
  type EndCause,
  type Fact,
  factEvent,
  type Failure,
  type Inference,
  type Json,
  type JsonPatch,
  type Message,
  type Pending,
  type RunState,
  type TokenUsage,
} from '@factwire/core'
import fc, { type Arbitrary } from 'fast-check'

// ── Strings and JSON ──

const HARD_TEXT = [
  'a',
  ' ',
  '"',
  '\\',
  '/',
  '{}',
  '\n',
  '\r\n',
  '\t',
  '\0',
  '\u0085',
  '\u2028',
  '\u2029',
  '\ufeff',
  'é',
  '日本',
  '😀',
  '👩‍👩‍👧',
  '\ud83d',
  '\ude00',
  'data: x\n\n',
  '</script>',
]

/** Text made of what breaks readers: line separators, NUL, lone surrogates, quotes. */
export const text: Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.array(fc.constantFrom(...HARD_TEXT), { maxLength: 6 }).map((parts) => parts.join('')) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
)

/** Ids of messages and calls alike, from a small pool: they collide. Some are names that every object inherits. */
export const id: Arbitrary<string> = fc.constantFrom(
  'a',
  'b',
  'call-1',
  'a-2',
  '__proto__',
  'constructor',
  'é\u2028',
  '',
)

export const name: Arbitrary<string> = fc.constantFrom('read', 'write', 'toString', '__proto__', 'näme')

const key = fc.oneof(fc.constantFrom('a', 'b', '__proto__', 'constructor', 'toJson', 'length', '1', ''), text)

const number = fc
  .oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom(0, 2 ** 53, 1e21, 1e-7))
  .map((value) => (Object.is(value, -0) ? 0 : value))

/** Any JSON value; an object's `__proto__` is an own property, as `JSON.parse` makes it. */
export const json: Arbitrary<Json> = fc.letrec<{ json: Json; array: Json; object: Json }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(null, true, false),
    number,
    text,
    tie('array'),
    tie('object'),
  ),
  array: fc.array(tie('json'), { maxLength: 3 }),
  object: fc.array(fc.tuple(key, tie('json')), { maxLength: 3 }).map((entries) => Object.fromEntries(entries)),
})).json

export const jsonPatch: Arbitrary<JsonPatch> = anyOf<JsonPatch, 'op'>('op', {
  add: { path: text, value: json },
  replace: { path: text, value: json },
  test: { path: text, value: json },
  remove: { path: text },
  move: { path: text, from: text },
  copy: { path: text, from: text },
})

// ── Content ──

type Block<Type> = Extract<ContentBlock, { readonly type: Type }>

const base64 = { media_type: text, data: text }
const url = { url: text }
const file = { file_id: text }

export const textBlock: Arbitrary<Block<'text'>> = record<Block<'text'>>({ type: fc.constant('text'), text })

function blocks(nested: Arbitrary<ContentBlock>): Arbitrary<ContentBlock> {
  return anyOf<ContentBlock, 'type'>('type', {
    text: { text },
    image: { source: anyOf<Block<'image'>['source'], 'type'>('type', { base64, url, file }) },
    document: {
      source: anyOf<Block<'document'>['source'], 'type'>('type', { base64, text: base64, url, file }),
      title: maybe(text),
      context: maybe(text),
    },
    search_result: {
      source: text,
      title: text,
      content: fc.array(textBlock, { maxLength: 2 }),
      citations: maybe(record<{ readonly enabled: boolean }>({ enabled: fc.boolean() })),
    },
    redacted: {},
    tool_use: { id, name, input: json, raw_input: maybe(text) },
    tool_result: {
      tool_use_id: id,
      content: fc.array(nested, { maxLength: 2 }),
      is_error: fc.boolean(),
      data: maybe(json),
      denied: maybe(fc.boolean()),
      cancelled: maybe(fc.boolean()),
    },
    thinking: { text, signature: maybe(text), encrypted: maybe(text) },
  })
}

/** Any block; results nest twice at most. */
export const contentBlock: Arbitrary<ContentBlock> = blocks(blocks(textBlock))

const content = fc.array(contentBlock, { maxLength: 3 })

// ── Runs ──

const tokens = fc.integer({ min: 0, max: 2 ** 31 - 1 })

export const tokenUsage: Arbitrary<TokenUsage> = record<TokenUsage>({
  prompt_tokens: maybe(tokens),
  completion_tokens: maybe(tokens),
  total_tokens: maybe(tokens),
  cache_read_tokens: maybe(tokens),
  cache_creation_tokens: maybe(tokens),
  thinking_tokens: maybe(tokens),
})

export const pending: Arbitrary<Pending> = record<Pending>({
  tool_use_id: id,
  kind: fc.constantFrom('client', 'approval'),
  approval_id: maybe(id),
  message: maybe(text),
  parameters: maybe(json),
  response_schema: maybe(json),
  expires_at: maybe(text),
})

export const endCause: Arbitrary<EndCause> = anyOf<EndCause, 'type'>('type', {
  natural_end: {},
  behavior_requested: {},
  max_steps: { code: maybe(text) },
  stopped: { code: text, detail: maybe(text) },
  cancelled: {},
  blocked: { reason: text },
  error: { failure: record<Failure>({ code: text, message: maybe(text) }) },
  indeterminate: {},
})

export const runState: Arbitrary<RunState> = anyOf<RunState, 'type'>('type', {
  running: {},
  awaiting: {},
  ended: { cause: endCause },
})

const disposition = fc.constantFrom<Disposition>('executed', 'pending_client', 'pending_builtin')
const duration = fc.oneof(fc.nat(), fc.constantFrom(0.5, 1e9))

/** A message of any role with any content: colliding ids, calls without results, results without calls. */
export const message: Arbitrary<Message> = record<Message>({
  id,
  role: fc.constantFrom('system', 'user', 'assistant', 'tool'),
  content,
})

// ── Facts ──

export const factsByType: Variants<Fact, 'type'> = variants('type', {
  run_started: {},
  assistant_message: { id, content },
  assistant_thinking: {
    message_id: maybe(id),
    text: maybe(text),
    signature: maybe(text),
    encrypted: maybe(text),
  },
  tool_call: { id, name, input: json, disposition, message_id: maybe(id), raw_input: maybe(text) },
  tool_result: {
    id,
    content,
    is_error: fc.boolean(),
    message_id: maybe(id),
    name: maybe(name),
    data: maybe(json),
    denied: maybe(fc.boolean()),
    cancelled: maybe(fc.boolean()),
  },
  awaiting: { pending_tool_use_id: fc.option(id), pending: maybe(fc.array(pending, { maxLength: 2 })) },
  continuation: { steered: fc.boolean(), detail: json, messages: maybe(fc.array(message, { maxLength: 2 })) },
  run_finished: { exhausted: fc.boolean(), cause: maybe(endCause), result: maybe(json) },
  run_failed: { code: text, message: text },
  step_ended: { message_id: id },
  inference_completed: { model: text, usage: maybe(tokenUsage), duration_ms: duration },
  state_snapshot: { snapshot: json, revision: maybe(fc.nat()) },
  activity_snapshot: {
    message_id: id,
    activity_type: text,
    content: json,
    replace: maybe(fc.boolean()),
    revision: maybe(fc.nat()),
  },
})

export const fact: Arbitrary<Fact> = fc.oneof(...Object.values<Arbitrary<Fact>>(factsByType))

// ── Deltas ──

const offset = fc.nat()

export const deltasByType: Variants<Delta, 'type'> = variants('type', {
  text_delta: { delta: text, message_id: maybe(id), offset: maybe(offset) },
  reasoning_delta: { delta: text, message_id: maybe(id), offset: maybe(offset) },
  tool_call_delta: {
    id,
    name,
    args_delta: text,
    message_id: maybe(id),
    offset: maybe(offset),
    disposition: maybe(disposition),
  },
  step_started: { message_id: id },
  tool_output_delta: { id, name, delta: text },
  state_delta: { delta: fc.array(jsonPatch, { maxLength: 2 }), revision: maybe(offset) },
  activity_delta: {
    message_id: id,
    activity_type: text,
    patch: fc.array(jsonPatch, { maxLength: 2 }),
    revision: maybe(offset),
  },
  tool_call_cancelled: { id, name, reason: text },
  stream_reset: { reason: text },
})

export const delta: Arbitrary<Delta> = fc.oneof(...Object.values<Arbitrary<Delta>>(deltasByType))

export const agentEvent: Arbitrary<AgentEvent> = fc.oneof(fact.map(factEvent), delta.map(deltaEvent))

// ── Threads ──

/** Any commit at all. For a believable run use the run writer. */
export const commit: Arbitrary<Commit> = record<Commit>({
  messages: fc.array(message, { maxLength: 3 }),
  state: runState,
  pending: maybe(fc.array(pending, { maxLength: 2 })),
  inference: maybe(record<Inference>({ model: text, usage: maybe(tokenUsage), duration_ms: duration })),
  snapshot: maybe(json),
  revision: maybe(fc.nat()),
  activities: maybe(
    fc.array(
      record<Activity>({
        message_id: id,
        activity_type: text,
        content: json,
        replace: maybe(fc.boolean()),
        revision: maybe(fc.nat()),
      }),
      {
        maxLength: 2,
      },
    ),
  ),
  continuation: maybe(
    record<{ readonly steered: boolean; readonly detail: Json }>({ steered: fc.boolean(), detail: json }),
  ),
  result: maybe(json),
})

// ── Building them ──

/** A field that may be absent. */
interface Maybe<Value> {
  readonly maybe: Arbitrary<Value>
}

function maybe<Value>(arbitrary: Arbitrary<Value>): Maybe<Value> {
  return { maybe: arbitrary }
}

/** An arbitrary for each field, the optional ones too: none can be forgotten or misspelt. Their order is that of the keys. */
type Model<Value> = {
  readonly [Key in keyof Value]-?: Partial<Pick<Value, Key>> extends Pick<Value, Key>
    ? Maybe<Value[Key]>
    : Arbitrary<Value[Key]>
}

type Tagged<Union, Tag extends PropertyKey, Name> = Union extends { readonly [Key in Tag]: infer Names }
  ? Name extends Names
    ? Union
    : never
  : never

/** An arbitrary for each variant: a new one does not compile until it has one. */
type Variants<Union, Tag extends keyof Union> = {
  readonly [Name in Union[Tag] & string]: Arbitrary<Tagged<Union, Tag, Name>>
}

function record<Value>(model: Model<Value>): Arbitrary<Value> {
  const fields: { [key: string]: Arbitrary<unknown> } = {}
  const requiredKeys: string[] = []
  for (const [key, field] of Object.entries<Arbitrary<unknown> | Maybe<unknown>>(model)) {
    fields[key] = 'maybe' in field ? field.maybe : field
    if (!('maybe' in field)) requiredKeys.push(key)
  }
  return fc.record(fields, { requiredKeys, noNullPrototype: true }) as Arbitrary<unknown> as Arbitrary<Value>
}

function variants<Union, Tag extends keyof Union & string>(
  tag: Tag,
  models: { readonly [Name in Union[Tag] & string]: Model<Omit<Tagged<Union, Tag, Name>, Tag>> },
): Variants<Union, Tag> {
  const named = Object.entries<object>(models).map(([name, model]) => [
    name,
    record({ [tag]: fc.constant(name), ...model }),
  ])
  return Object.fromEntries(named) as Variants<Union, Tag>
}

function anyOf<Union, Tag extends keyof Union & string>(
  tag: Tag,
  models: { readonly [Name in Union[Tag] & string]: Model<Omit<Tagged<Union, Tag, Name>, Tag>> },
): Arbitrary<Union> {
  return fc.oneof(...Object.values<Arbitrary<Union>>(variants<Union, Tag>(tag, models)))
}
