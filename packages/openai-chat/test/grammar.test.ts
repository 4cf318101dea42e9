import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type Breach, checkGrammar, type StreamEnd } from '@factwire/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ChatFrame, framing, grammar } from '../src/index.ts'
import { type ClientVersion, readFinal } from './client.ts'

const VERSIONS: readonly ClientVersion[] = ['7', '6']

// ── Frames ──

type Fields = { readonly [key: string]: unknown }

const head = { id: 'r1', object: 'chat.completion.chunk', created: 1, model: 'm' }
const chunk = (choices: unknown, more: Fields = {}): ChatFrame => ({ ...head, choices, ...more })
const delta = (fields: Fields, finish: string | null = null): ChatFrame =>
  chunk([{ index: 0, delta: fields, finish_reason: finish }])
const call = (fields: Fields): ChatFrame => delta({ tool_calls: [fields] })

/** One more choice beside the answer. */
const choices = (index: number, fields: Fields, finish: string | null = null): readonly ChatFrame[] => [
  chunk([{ index, delta: fields, finish_reason: finish }]),
]

const role = delta({ role: 'assistant', content: '' })
const text = delta({ content: 'a' })
const begin = (index: unknown, id = `c${String(index)}`): ChatFrame =>
  call({ index, id, type: 'function', function: { name: 'f', arguments: '' } })
const half = (index: number): ChatFrame => call({ index, type: 'function', function: { name: 'f', arguments: '' } })
const more = (index: number): ChatFrame => call({ index, function: { arguments: '1' } })
const named = (index: number): ChatFrame => call({ index, id: `c${index}`, function: { name: 'f', arguments: '1' } })
const wholeCall = delta(
  { tool_calls: [{ index: 0, id: 'c0', type: 'function', function: { name: 'f', arguments: '1' } }] },
  'tool_calls',
)
const stop = delta({}, 'stop')
const toCalls = delta({}, 'tool_calls')
const counted = chunk([], { usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } })
const failure: ChatFrame = { error: { message: 'm', type: 'server_error', param: null, code: 'boom' } }
const done: ChatFrame = '[DONE]'

// ── What the grammar says, and what the client does ──

interface Judged {
  readonly breaches: readonly Breach[]
  readonly ended: StreamEnd | undefined
}

function judge(frames: readonly ChatFrame[]): Judged {
  const check = checkGrammar(grammar)
  const breaches = frames.flatMap((frame) => check.push(frame))
  return { breaches: [...breaches, ...check.end()], ended: check.ended() }
}

const broken = (frames: readonly ChatFrame[]): string[] => [...new Set(judge(frames).breaches.map(({ rule }) => rule))]

/** `took`: the user has an answer. `failed`: the error that the stream reports. `rejected`: any other. */
async function outcome(frames: readonly ChatFrame[], version: ClientVersion): Promise<string> {
  const { error, warnings } = await readFinal(frames.map((frame) => framing.text(frame)).join(''), { version })
  if (warnings.length > 0) return 'warned'
  if (error) return error.reported ? 'failed' : 'rejected'
  return 'took'
}

// ── Rule by rule ──

const spoken = [role, text, stop, done]
const called = [role, begin(0), more(0), begin(1), more(1), toCalls, done]

test.each<[string, ChatFrame[]]>([
  ['a text', spoken],
  ['an empty answer', [role, stop, done]],
  ['a text with usage', [role, text, stop, counted, done]],
  ['thoughts and empty deltas', [role, delta({ reasoning_content: 'r' }), delta({}), text, stop, done]],
  ['a text that ends with its finish', [role, delta({ content: 'a' }, 'stop'), done]],
  ['calls', called],
  ['a call in one piece, with the finish', [role, wholeCall, done]],
  ['text between calls', [role, text, begin(0), more(0), text, begin(1), more(1), toCalls, counted, done]],
  ['an error at once', [failure]],
  ['an error in the middle', [role, text, begin(0), failure]],
  ['an error and the end mark', [role, failure, done]],
])('%s breaks no rule, and both clients take it so', async (_name, frames) => {
  expect(broken(frames)).toEqual([])
  const expected = judge(frames).ended === 'failed' ? 'failed' : 'took'
  for (const version of VERSIONS) expect(await outcome(frames, version)).toBe(expected)
})

interface Illegal {
  readonly rule: string
  /** What else is broken by it. */
  readonly also: readonly string[]
  readonly frames: readonly ChatFrame[]
  readonly did: Readonly<Record<ClientVersion, string>>
}

const bad = (
  rule: string,
  also: readonly string[],
  frames: readonly ChatFrame[],
  did: string,
  older = did,
): Illegal => ({
  rule,
  also,
  frames,
  did: { 7: did, 6: older },
})

const bare = (fields: Fields): ChatFrame => chunk([{ index: 0, finish_reason: null, ...fields }])
const illegal: readonly Illegal[] = [
  bad('choices-array', [], [role, chunk(undefined), stop, done], 'rejected'),
  bad(
    'choice-index',
    [],
    [role, chunk([{ delta: { content: 'a' }, finish_reason: null }]), stop, done],
    'rejected',
    'took',
  ),
  bad(
    'one-choice',
    [],
    [role, chunk([{ index: 1, delta: { role: 'assistant' }, finish_reason: 'stop' }]), stop, done],
    'took',
  ),
  bad('choice-missing', ['one-choice'], [role, ...choices(2, { role: 'assistant' }, 'stop'), stop, done], 'rejected'),
  bad('role-missing', ['one-choice'], [role, text, ...choices(1, { content: 'b' }, 'stop'), stop, done], 'rejected'),
  bad('finish-missing', ['one-choice'], [role, text, ...choices(1, { role: 'assistant' }), stop, done], 'rejected'),
  bad('one-choice', [], [role, text, ...choices(1, { role: 'assistant' }), failure], 'failed'),
  bad('one-response', [], [role, { ...head, id: 'r2', choices: [] }, stop, done], 'took'),
  bad('delta-only', [], [role, bare({ delta: {}, message: { role: 'assistant', content: 'a' } }), stop, done], 'took'),
  bad('texts-are-text', [], [role, delta({ content: [{ type: 'text', text: 'a' }] }), stop, done], 'took'),
  bad('no-function-call', [], [role, delta({ function_call: { name: 'f', arguments: '1' } }), stop, done], 'took'),

  bad('answer-missing', [], [], 'rejected'),
  bad('answer-missing', [], [done], 'rejected'),
  bad('role-first', [], [text, role, stop, done], 'took'),
  bad('role-once', [], [role, text, role, stop, done], 'took'),
  bad('role-missing', ['role-first'], [text, stop, done], 'rejected'),
  bad('role-missing', ['role-first'], [text, stop], 'rejected'),
  bad('role-assistant', [], [role, delta({ role: 'tool', content: 'a' }), stop, done], 'rejected'),
  bad('finish-missing', [], [role, text, done], 'rejected'),
  bad('finish-missing', [], [role, text], 'rejected'),
  bad('finish-once', [], [role, text, stop, stop, done], 'took'),
  bad('finish-last', [], [role, stop, text, done], 'took'),
  bad('finish-last', [], [role, stop, failure], 'failed'),
  bad('finish-fits', [], [role, text, toCalls, done], 'took'),
  bad('finish-fits', [], [role, begin(0), more(0), stop, done], 'took'),
  bad('usage-last', [], [role, counted, text, stop, done], 'took'),
  bad('usage-once', [], [role, text, stop, counted, counted, done], 'took'),
  bad('done-missing', [], [role, text, stop], 'took'),
  bad('nothing-after', [], [...spoken, text], 'took'),
  bad('nothing-after', [], [...spoken, done], 'took'),
  bad('nothing-after', [], [role, failure, text], 'failed'),

  bad('call-index', [], [role, begin(undefined), stop, done], 'rejected', 'took'),
  bad('call-index', [], [role, begin(128), stop, done], 'rejected'),
  bad(
    'call-function',
    [],
    [role, call({ index: 0, id: 'c0', type: 'custom', custom: { name: 'f', input: '' } }), stop, done],
    'rejected',
  ),
  bad('call-begins-first', [], [role, more(0), begin(0), toCalls, done], 'took'),
  bad('call-begins-once', ['call-ids-differ'], [role, begin(0), more(0), begin(0), toCalls, done], 'took'),
  bad('call-begins-whole', [], [role, half(0), more(0), toCalls, done], 'took'),
  bad('call-type', ['call-begins-first'], [role, more(0), toCalls, done], 'rejected'),
  bad('call-type', ['call-begins-first'], [role, more(0), begin(1), more(1), failure], 'rejected'),
  bad('call-arguments', [], [role, begin(0), toCalls, done], 'took'),
  bad('calls-from-zero', ['calls-in-turn'], [role, begin(1), begin(0), more(0), more(1), toCalls, done], 'took'),
  bad('call-missing', ['calls-from-zero'], [role, begin(1), more(1), toCalls, done], 'rejected'),
  bad('calls-in-turn', [], [role, begin(0), begin(1), more(0), more(1), toCalls, done], 'took'),
  bad('call-ids-differ', [], [role, begin(0), more(0), begin(1, 'c0'), more(1), toCalls, done], 'took'),
]

test.each(illegal)('$rule is broken, and the clients do what its force says', async ({ rule, also, frames, did }) => {
  expect(broken(frames).toSorted()).toEqual([rule, ...also].toSorted())
  for (const version of VERSIONS) expect(await outcome(frames, version)).toBe(did[version])
  expect(grammar.rules[rule]?.force === 'rejected').toBe(Object.values(did).includes('rejected'))
})

test('every rule has an example', () => {
  expect([...new Set(illegal.map(({ rule }) => rule))].toSorted()).toEqual(Object.keys(grammar.rules).toSorted())
})

test.each(Object.entries(grammar.rules).filter(([, { see }]) => !see.startsWith('https://')))(
  'where %s stands there is what it names',
  (_, { see }) => {
    const folder = dirname(createRequire(import.meta.url).resolve('openai'))
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }
    const [place = '', name = ''] = see.split(': ')
    const [client, file = ''] = place.split(', ')
    expect(client).toBe(`openai ${version}`)
    expect(readFileSync(join(folder, file), 'utf8')).toContain(name)
  },
)

// ── The same chunk again ──

interface Twice {
  readonly what: string
  readonly before: readonly ChatFrame[]
  readonly frame: ChatFrame
  readonly after: readonly ChatFrame[]
  readonly breaks: readonly string[]
}

test.each<Twice>([
  { what: 'the role', before: [], frame: role, after: [text, stop, done], breaks: ['role-once'] },
  { what: 'the finish', before: [role, text], frame: stop, after: [done], breaks: ['finish-once'] },
  { what: 'usage', before: [role, text, stop], frame: counted, after: [done], breaks: ['usage-once'] },
  { what: 'the end mark', before: [role, text, stop], frame: done, after: [], breaks: ['nothing-after'] },
  {
    what: 'the beginning of a call',
    before: [role],
    frame: begin(0),
    after: [more(0), toCalls, done],
    breaks: ['call-begins-once', 'call-ids-differ'],
  },
  // Two pieces that are the same are as good as any two.
  { what: 'a text', before: [role], frame: text, after: [stop, done], breaks: [] },
  { what: 'a piece of arguments', before: [role, begin(0)], frame: more(0), after: [toCalls, done], breaks: [] },
])('of $what that comes twice the grammar says what it may, and both clients take it', async (twice) => {
  const { before, frame, after, breaks } = twice
  expect(broken([...before, frame, ...after])).toEqual([])
  const doubled = [...before, frame, frame, ...after]
  expect(broken(doubled)).toEqual(breaks)
  for (const version of VERSIONS) expect(await outcome(doubled, version)).toBe('took')
})

// ── Any frames in any order ──

const anyFrame = fc.oneof(
  fc.constantFrom(role, text, stop, toCalls, counted, delta({ content: 'a' }, 'stop')),
  {
    weight: 2,
    arbitrary: fc
      .nat({ max: 2 })
      .chain((index) => fc.constantFrom(begin(index), half(index), more(index), named(index))),
  },
  fc.nat({ max: 2 }).map((index) => delta({ tool_calls: [{ index, function: { arguments: '1' } }] }, 'tool_calls')),
  fc.nat({ max: 2 }).map((index) => {
    const whole = { index, id: `c${index}`, type: 'function', function: { name: 'f', arguments: '1' } }
    return delta({ tool_calls: [whole] }, 'tool_calls')
  }),
  fc.constantFrom(failure, done),
  fc
    .record({
      index: fc.integer({ min: 1, max: 2 }),
      fields: fc.constantFrom<Fields>(
        { role: 'assistant' },
        { role: 'tool' },
        { content: 'b' },
        { role: 'assistant', content: 'b' },
        { tool_calls: [{ index: 0, function: { arguments: '1' } }] },
        { tool_calls: [{ index: 0, id: 'c9', type: 'function', function: { name: 'f', arguments: '1' } }] },
        {},
      ),
      finish: fc.constantFrom(null, 'stop', 'tool_calls'),
    })
    .map(({ index, fields, finish }) => chunk([{ index, delta: fields, finish_reason: finish }])),
)

test('whatever frames come in whatever order, both clients reject what the grammar rejects, and nothing else', async () => {
  const runs = Number(process.env['FACTWIRE_RUNS'] || 200) * 2
  // Most streams have their frame, so that the client gets to look at what is in it.
  const stream = fc.oneof(
    fc.array(anyFrame, { maxLength: 12 }),
    fc.array(anyFrame, { maxLength: 12 }).map((frames) => [role, ...frames, toCalls, done]),
    fc.array(anyFrame, { maxLength: 12 }).map((frames) => [role, ...frames.filter((frame) => frame !== done), done]),
  )
  const check = async (frames: ChatFrame[]): Promise<void> => {
    const { breaches, ended } = judge(frames)
    const rejected = breaches.some(({ force }) => force === 'rejected')
    const expected = rejected ? 'rejected' : ended === 'failed' ? 'failed' : 'took'
    for (const version of VERSIONS) expect([version, await outcome(frames, version)]).toEqual([version, expected])
  }
  await fc.assert(fc.asyncProperty(stream, check), { seed: 20_261_130, numRuns: runs })
}, 600_000)
