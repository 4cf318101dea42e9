import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentEvent, Fact, Json, Pending } from '@factwire/core'
import { expect, test } from 'vitest'
import { type Outcome, cli } from './cli.ts'
import { newFolder } from './folder.ts'
import { eventLines, finished, sample, started } from './sample.ts'

const folder = newFolder()

/** The events as a wire has them, in a file. */
async function recorded(events: readonly AgentEvent[], to: string): Promise<string> {
  const { stdout } = await cli(['transcode', '--from', 'events', '--to', to], { stdin: eventLines(events) })
  return saved(stdout)
}

let files = 0
function saved(text: string): string {
  const file = join(folder, `stream-${files++}`)
  writeFileSync(file, text)
  return file
}

const compare = (a: string, b: string, ...flags: readonly string[]): Promise<Outcome> => cli(['diff', a, b, ...flags])

const fact = (event: Fact): AgentEvent => ({ tier: 'fact', event })

/** The sample with one fact made another. */
const changed = (type: Fact['type'], change: (event: Fact) => Fact): readonly AgentEvent[] =>
  sample.flatMap((event): AgentEvent[] => {
    if (event.tier === 'delta') return []
    return [event.event.type === type ? fact(change(event.event)) : event]
  })

test.each(['ag-ui', 'sse', 'events'])('a run is the same on sse and on %s, whatever the bytes', async (wire) => {
  const { code, stdout, stderr } = await compare(await recorded(sample, 'sse'), await recorded(sample, wire))
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'the same: 1 run\n', stderr: '' })
})

test('what was streamed and what was only committed end the same', async () => {
  const facts = sample.filter(({ tier }) => tier === 'fact')
  expect((await compare(await recorded(sample, 'sse'), await recorded(facts, 'sse'))).code).toBe(0)
})

test('one text for all messages is the same text', async () => {
  // Usage stands in chunks only for whoever asked for it.
  const said = sample.filter(({ event }) => !event.type.startsWith('tool_') && event.type !== 'inference_completed')
  expect((await compare(await recorded(said, 'sse'), await recorded(said, 'openai-chat'))).code).toBe(0)
})

test('shows from which character a text differs', async () => {
  const other = changed('assistant_message', (event) =>
    event.type === 'assistant_message' && event.id === 'm2'
      ? { ...event, content: [{ type: 'text', text: 'It is 21 °C.' }] }
      : event,
  )
  const { code, stdout, stderr } = await compare(await recorded(sample, 'sse'), await recorded(other, 'ag-ui'))
  expect(code).toBe(1)
  expect(stdout).toBe('run 1, text of message 2, from character 8\n  a  "It is 22 °C."\n  b  "It is 21 °C."\n')
  expect(stderr).toBe('factwire: they differ in 1 place\n')
})

test('shows where in the arguments of a call, and what came of it', async () => {
  const other = changed('tool_call', (event) =>
    event.type === 'tool_call' ? { ...event, input: { city: 'Bern' } } : event,
  )
  const { stdout } = await compare(await recorded(sample, 'sse'), await recorded(other, 'sse'))
  expect(stdout).toBe('run 1, call 1 (weather), arguments.city\n  a  "Zürich"\n  b  "Bern"\n')
  const failing = changed('tool_result', (event) =>
    event.type === 'tool_result' ? { ...event, is_error: true } : event,
  )
  expect((await compare(await recorded(sample, 'ag-ui'), await recorded(failing, 'sse'))).stdout).toBe(
    'run 1, call 1 (weather), result.is_error\n  a  false\n  b  true\n',
  )
})

test('shows a call that only one of them has', async () => {
  const other = sample.filter(({ event }) => !event.type.startsWith('tool_'))
  const { stdout } = await compare(await recorded(sample, 'sse'), await recorded(other, 'sse'))
  expect(stdout).toBe('run 1, call 1\n  a  weather\n  b  nothing\n')
})

test('shows how each ended', async () => {
  const failed = [...sample.slice(0, -1), fact({ type: 'run_failed', code: 'overloaded', message: 'no' })]
  const { stdout } = await compare(await recorded(sample, 'sse'), await recorded(failed, 'ag-ui'))
  expect(stdout).toBe('run 1, status\n  a  finished\n  b  failed\nrun 1, failure code\n  a  nothing\n  b  overloaded\n')
})

test('shows what each failure says', async () => {
  const failed = ['try again', 'try again later'].map((message) => [
    started,
    fact({ type: 'run_failed', code: 'overloaded', message }),
  ])
  const [one = [], two = []] = failed
  const { stdout } = await compare(await recorded(one, 'sse'), await recorded(two, 'ag-ui'))
  expect(stdout).toBe('run 1, failure message\n  a  "try again"\n  b  "try again later"\n')
})

test('two readers may say of a stream that was cut what they like', async () => {
  const files = await Promise.all(
    ['sse', 'ag-ui'].map(async (to) => {
      const { stdout } = await cli(['transcode', '--from', 'events', '--to', to], { stdin: eventLines([started]) })
      const [first = ''] = stdout.split('\n\n')
      return saved(`${first}\n\n`)
    }),
  )
  const [one = '', two = ''] = files
  expect((await compare(one, two)).stdout).toBe('the same: 1 run\n')
})

/** A run of one message, with something more. */
const run = (...facts: readonly Fact[]): readonly AgentEvent[] => [
  started,
  fact({ type: 'assistant_message', id: 'm1', content: [{ type: 'text', text: 'Done.' }] }),
  ...facts.filter(({ type }) => !ENDS.has(type)).map(fact),
  fact({ type: 'step_ended', message_id: 'm1' }),
  ...(facts.some(({ type }) => ENDS.has(type)) ? facts.filter(({ type }) => ENDS.has(type)).map(fact) : [finished]),
]
const ENDS: ReadonlySet<Fact['type']> = new Set(['awaiting', 'run_finished', 'run_failed'])

const call = (id: string, name: string, disposition: 'pending_builtin' | 'pending_client'): Fact => ({
  type: 'tool_call',
  id,
  name,
  input: {},
  disposition,
  message_id: 'm1',
})

const activity = (type: string, content: Json): Fact => ({
  type: 'activity_snapshot',
  message_id: 'a1',
  activity_type: type,
  content,
})

const used = (prompt_tokens: number): Fact => ({
  type: 'inference_completed',
  model: 'demo',
  usage: { prompt_tokens, completion_tokens: 5 },
  duration_ms: 3,
})

const ended = (result: Json): Fact => ({
  type: 'run_finished',
  exhausted: false,
  cause: { type: 'natural_end' },
  result,
})

const asks = (question: Partial<Pending>): readonly AgentEvent[] =>
  run(call('c1', 'remove', 'pending_builtin'), {
    type: 'awaiting',
    pending_tool_use_id: 'c1',
    pending: [{ tool_use_id: 'c1', kind: 'approval', ...question }],
  })

const WAYS = [
  ['sse', 'sse'],
  ['sse', 'ag-ui'],
  ['ag-ui', 'ag-ui'],
] as const

/** What the comparison shows where one fact is another; and that it shows nothing where none is. */
async function shows(one: readonly AgentEvent[], other: readonly AgentEvent[]): Promise<readonly string[]> {
  const shown = new Set<string>()
  for (const [left, right] of WAYS) {
    expect((await compare(await recorded(one, left), await recorded(one, right))).stdout).toBe('the same: 1 run\n')
    shown.add((await compare(await recorded(one, left), await recorded(other, right))).stdout)
  }
  return [...shown]
}

test('shows what differs in an activity, or that there is none', async () => {
  const plan = (...steps: readonly string[]): readonly AgentEvent[] => run(activity('PLAN', { steps }))
  expect(await shows(plan('look', 'tell'), plan('look', 'ask'))).toEqual([
    'run 1, activity 1 (PLAN), content.steps[1]\n  a  "tell"\n  b  "ask"\n',
  ])
  expect(await shows(plan('look'), run())).toEqual(['run 1, activity 1\n  a  PLAN\n  b  nothing\n'])
  expect(await shows(plan('look'), run(activity('STATUS', {})))).toEqual([
    'run 1, activity 1\n  a  PLAN\n  b  STATUS\n',
  ])
})

test('of an activity that is told twice it compares what is left', async () => {
  const late = run(activity('PLAN', { at: 1 }), activity('PLAN', { at: 2 }))
  expect(
    (await compare(await recorded(late, 'sse'), await recorded(run(activity('PLAN', { at: 2 })), 'sse'))).code,
  ).toBe(0)
})

test('shows what was thought', async () => {
  const thinks = (text: string): readonly AgentEvent[] => {
    const [first = started, ...rest] = run()
    return [
      first,
      { tier: 'delta', event: { type: 'step_started', message_id: 'm1' } },
      { tier: 'delta', event: { type: 'reasoning_delta', delta: text, message_id: 'm1', offset: 0 } },
      fact({ type: 'assistant_thinking', message_id: 'm1', text }),
      ...rest,
    ]
  }
  expect(await shows(thinks('It is warm.'), thinks('It is cold.'))).toEqual([
    'run 1, reasoning 1, from character 7\n  a  "It is warm."\n  b  "It is cold."\n',
  ])
})

test('shows what a run gave', async () => {
  expect(await shows(run(ended({ city: 'Bern' })), run(ended({ city: 'Basel' })))).toEqual([
    'run 1, result.city\n  a  "Bern"\n  b  "Basel"\n',
  ])
  expect(await shows(run(ended('Bern')), run())).toEqual(['run 1, result\n  a  "Bern"\n  b  nothing\n'])
})

test('shows what all model calls took together', async () => {
  expect(await shows(run(used(10), used(3)), run(used(12), used(1)))).toEqual(['the same: 1 run\n'])
  expect(await shows(run(used(10)), run(used(12)))).toEqual(['run 1, usage.prompt_tokens\n  a  10\n  b  12\n'])
})

test('shows what an approval asks', async () => {
  const schema = { type: 'object', properties: { sure: { type: 'boolean' } } }
  const asked = { message: 'Remove it?', parameters: { path: '/tmp' }, response_schema: schema }
  expect(await shows(asks(asked), asks({ ...asked, message: 'Remove all?' }))).toEqual([
    'run 1, question 1 (remove), message\n  a  "Remove it?"\n  b  "Remove all?"\n',
  ])
  expect(await shows(asks(asked), asks({ ...asked, parameters: { path: '/' } }))).toEqual([
    'run 1, question 1 (remove), parameters.path\n  a  "/tmp"\n  b  "/"\n',
  ])
  expect(await shows(asks(asked), asks({ ...asked, response_schema: { type: 'object' } }))).toEqual([
    `run 1, question 1 (remove), response_schema.properties\n  a  {"sure":{"type":"boolean"}}\n  b  nothing\n`,
  ])
})

test('shows until when an approval may be given, on a wire that says it', async () => {
  const until = (expires_at: string): Promise<string> => recorded(asks({ expires_at }), 'ag-ui')
  const { stdout } = await compare(await until('2030-01-01T00:00:00Z'), await until('2031-01-01T00:00:00Z'))
  expect(stdout).toBe(
    'run 1, question 1 (remove), expires_at\n  a  "2030-01-01T00:00:00Z"\n  b  "2031-01-01T00:00:00Z"\n',
  )
})

test('shows that somebody else is asked, or nobody', async () => {
  const waits = (name: string, kind: Pending['kind']): readonly AgentEvent[] =>
    run(call('c1', name, kind === 'client' ? 'pending_client' : 'pending_builtin'), {
      type: 'awaiting',
      pending_tool_use_id: 'c1',
      pending: [{ tool_use_id: 'c1', kind }],
    })
  expect(await shows(waits('remove', 'approval'), waits('remove', 'client'))).toEqual([
    'run 1, question 1 (remove), kind\n  a  "approval"\n  b  "client"\n',
  ])
  const one = await recorded(waits('remove', 'approval'), 'events')
  const nobody = await recorded(run({ type: 'awaiting', pending_tool_use_id: null }), 'events')
  expect((await compare(one, nobody)).stdout).toContain('run 1, question 1\n  a  remove\n  b  nothing\n')
})

test('shows what came of a call from before the run waited', async () => {
  const answered = (text: string): readonly AgentEvent[] => [
    ...run(call('c1', 'remove', 'pending_client'), {
      type: 'awaiting',
      pending_tool_use_id: 'c1',
      pending: [{ tool_use_id: 'c1', kind: 'client' }],
    }),
    started,
    fact({ type: 'tool_result', id: 'c1', content: [{ type: 'text', text }], is_error: false }),
    finished,
  ]
  const { stdout } = await compare(
    await recorded(answered('gone'), 'events'),
    await recorded(answered('kept'), 'events'),
  )
  expect(stdout).toBe('run 2, call 1 (remove), result.text\n  a  "gone"\n  b  "kept"\n')
})

test('shows the pictures in a result, and whether somebody said no', async () => {
  const result = (url: string, denied: boolean): Fact => ({
    type: 'tool_result',
    id: 'c1',
    content: [{ type: 'image', source: { type: 'url', url } }],
    is_error: false,
    denied,
  })
  const drawn = (url: string, denied = false): Promise<string> =>
    recorded(
      run({ type: 'tool_call', id: 'c1', name: 'draw', input: {}, disposition: 'executed' }, result(url, denied)),
      'events',
    )
  expect((await compare(await drawn('https://a.example'), await drawn('https://b.example'))).stdout).toBe(
    'run 1, call 1 (draw), result.media[0].source.url\n  a  "https://a.example"\n  b  "https://b.example"\n',
  )
  expect((await compare(await drawn('https://a.example'), await drawn('https://a.example', true))).stdout).toBe(
    'run 1, call 1 (draw), result.denied\n  a  false\n  b  true\n',
  )
})

test('of two long texts in a value it shows where they part', async () => {
  const long = 'x'.repeat(500)
  const [one, other] = [run(ended({ text: `${long}a` })), run(ended({ text: `${long}b` }))]
  expect(await shows(one, other)).toEqual([
    `run 1, result.text, from character 501\n  a  …"xxxxxxxxxxxxa"\n  b  …"xxxxxxxxxxxxb"\n`,
  ])
})

test('shows the state that is left', async () => {
  const states = [1, 2].map((n) => [started, fact({ type: 'state_snapshot', snapshot: { n } }), finished])
  const [one = [], two = []] = states
  const { stdout } = await compare(await recorded(one, 'sse'), await recorded(two, 'ag-ui'))
  expect(stdout).toBe('run 1, state.n\n  a  1\n  b  2\n')
})

test('a stream that was cut differs from a whole one, and is told as cut', async () => {
  const whole = await recorded(sample, 'sse')
  const { stdout: text } = await cli(['transcode', '--from', 'events', '--to', 'sse'], { stdin: eventLines(sample) })
  const { code, stdout, stderr } = await compare(whole, saved(text.slice(0, text.length / 2)))
  expect(code).toBe(1)
  expect(stdout).toContain('failure code\n  a  nothing\n  b  stream_truncated\n')
  expect(stderr).toMatch(/^factwire: they differ in \d places; .*record it again/)
})

test('two streams that were cut alike are no success', async () => {
  const { stdout: text } = await cli(['transcode', '--from', 'events', '--to', 'sse'], { stdin: eventLines(sample) })
  const cut = saved(text.slice(0, text.length / 2))
  const { code, stdout } = await compare(cut, cut)
  expect({ code, stdout }).toEqual({ code: 1, stdout: 'the same: 1 run\n' })
})

test('compares run by run, and says which is not there', async () => {
  const one = await recorded(sample, 'events')
  const two = await recorded([...sample, ...sample], 'events')
  const { stdout } = await compare(one, two)
  expect(stdout).toBe('run 2, the run\n  a  is not there\n  b  finished\n')
})

test('shows the first differences of many', async () => {
  const many = (text: string): readonly AgentEvent[] =>
    Array.from({ length: 30 }, () => [
      started,
      fact({ type: 'assistant_message', id: 'm', content: [{ type: 'text', text }] }),
      finished,
    ]).flat()
  const { stdout, stderr } = await compare(await recorded(many('a'), 'events'), await recorded(many('b'), 'events'))
  expect(stdout.split('\n')).toHaveLength(20 * 3 + 2)
  expect(stdout).toContain('… and 10 more\n')
  expect(stderr).toContain('30 places')
})

test('lets no text of the streams steer the terminal', async () => {
  const says = (text: string): readonly AgentEvent[] => [
    started,
    fact({ type: 'run_failed', code: text, message: 'x' }),
  ]
  const { stdout } = await compare(
    await recorded(says('\u001b[2Ja'), 'events'),
    await recorded(says('b\u202e'), 'events'),
  )
  expect(stdout.replaceAll('\n', '')).toMatch(/^[\u0020-\u007e]*$/)
})

test('reads one of the two from standard input', async () => {
  const { stdout: stdin } = await cli(['transcode', '--from', 'events', '--to', 'sse'], { stdin: eventLines(sample) })
  const { code } = await cli(['diff', '-', await recorded(sample, 'ag-ui')], { stdin })
  expect(code).toBe(0)
  const { code: both, stderr } = await cli(['diff', '-', '-'], { stdin })
  expect(both).toBe(2)
  expect(stderr).toContain('only one of the two')
})

test('takes the word of the user for what a stream is', async () => {
  const file = await recorded(sample, 'sse')
  expect((await compare(file, file, '--from-a', 'sse', '--from-b', 'sse')).code).toBe(0)
  expect((await compare(file, file, '--from-a', 'nope')).code).toBe(2)
})

test('says which of the two has a wire that cannot be told, and how to say it', async () => {
  const [good, odd] = [await recorded(sample, 'sse'), saved('data: {}\n\n')]
  const told = (flag: string): string =>
    `factwire: ${odd}: the first message fits no installed wire; say which it is with ${flag} <wire> (see factwire --help)\n`
  expect(await compare(good, odd)).toEqual({ code: 2, stdout: '', stderr: told('--from-b') })
  expect(await compare(odd, good)).toEqual({ code: 2, stdout: '', stderr: told('--from-a') })
})
