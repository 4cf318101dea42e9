import { mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { run } from '../src/main.ts'
import { bytes, cli } from './cli.ts'
import { newFolder } from './folder.ts'
import { eventLines, facts, finished, parsed, sample, started } from './sample.ts'

const toSse = ['transcode', '--from', 'events', '--to', 'sse']
const fromSse = ['transcode', '--from', 'sse', '--to', 'events']
const events = ['transcode', '--from', 'events', '--to', 'events']

const chat = (...chunks: readonly (object | string)[]): string =>
  chunks.map((chunk) => `data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\n\n`).join('')
const chunk = (id: string, delta: object, finish_reason: string | null = null): object => ({
  id,
  model: 'demo',
  choices: [{ index: 0, delta, finish_reason }],
})

// ── Good streams ──

test('gives the facts back after a way through another wire', async () => {
  const there = await cli([...toSse, '--thread', 'th', '--run', 'ru'], { stdin: eventLines(sample) })
  expect(there).toMatchObject({ code: 0, stderr: '' })
  expect(there.stdout).toMatch(/^id: 0\ndata: \{"event_type":"run_start","thread_id":"th","run_id":"ru"\}\n\n/)

  const back = await cli(fromSse, { stdin: there.stdout })
  expect(back).toMatchObject({ code: 0, stderr: '' })
  const said = (given: ReturnType<typeof facts>): string[] => given.map(({ type }) => type)
  expect(said(facts(parsed(back.stdout)))).toEqual(said(facts(sample)))
  expect(facts(parsed(back.stdout))).toContainEqual(facts(sample)[2])
})

test('writes neutral events as it reads them, without blank lines', async () => {
  const { code, stdout } = await cli(events, { stdin: `\n${eventLines(sample).replaceAll('\n', '\r\n\r\n')}` })
  expect(code).toBe(0)
  expect(stdout).toBe(eventLines(sample))
})

test('reads what a provider sends', async () => {
  const stdin = chat(
    chunk('one', { role: 'assistant', content: 'Hel' }),
    chunk('one', { content: 'lo' }),
    chunk('one', {}, 'stop'),
    '[DONE]',
  )
  const { code, stdout } = await cli(['transcode', '--from', 'openai-chat', '--to', 'sse'], { stdin })
  expect(code).toBe(0)
  expect(stdout).toContain('"thread_id":"thread","run_id":"one"')
  expect(stdout).toContain('"result":{"response":"Hello"')
})

test('says of the run what the stream does not', async () => {
  const given = ['--thread', 'said', '--run', 'said', '--model', 'said']
  const plain = await cli([...toSse, ...given], { stdin: eventLines(sample) })
  expect(plain.stdout).toContain('"thread_id":"said","run_id":"said"')
  const known = await cli(['transcode', '--from', 'sse', '--to', 'sse', ...given], {
    stdin: plain.stdout.replaceAll('said', 'own'),
  })
  expect(known.stdout).toContain('"thread_id":"own","run_id":"own"')
})

test('begins a segment at each start, and numbers on', async () => {
  const waiting = [started, { tier: 'fact', event: { type: 'awaiting', pending_tool_use_id: null } }] as const
  const stdin = eventLines([...waiting, started, finished, started, finished])
  const { code, stdout } = await cli(toSse, { stdin })
  expect(code).toBe(0)
  const starts = [...stdout.matchAll(/^id: (\d+)\ndata: \{"event_type":"run_start".*"run_id":"(.*?)"/gm)]
  expect(starts.map(([, id, runId]) => [id, runId])).toEqual([
    ['0', 'run'],
    ['2', 'run'],
    ['4', 'run-2'],
  ])
  const back = await cli(fromSse, { stdin: stdout })
  expect(facts(parsed(back.stdout)).map(({ type }) => type)).toEqual(facts(parsed(stdin)).map(({ type }) => type))
})

test('reads one run after the other from a wire whose decoder answers for one', async () => {
  const answer = (id: string): string => chat(chunk(id, { content: id }), chunk(id, {}, 'stop'), '[DONE]')
  const stdin = answer('one') + answer('two')
  const { code, stdout } = await cli(['transcode', '--from', 'openai-chat', '--to', 'events'], { stdin })
  expect(code).toBe(0)
  expect(facts(parsed(stdout)).filter(({ type }) => type === 'run_finished')).toHaveLength(2)
  expect(stdout).toContain('"text":"two"')
})

test('counts a run that reports its own failure as a good stream', async () => {
  const failed = {
    tier: 'fact',
    event: { type: 'run_failed', code: 'stream_failed', message: 'it said so itself' },
  } as const
  const { code, stdout } = await cli(toSse, { stdin: eventLines([started, failed]) })
  expect(code).toBe(0)
  expect(await cli(fromSse, { stdin: stdout })).toMatchObject({ code: 0, stderr: '' })
})

test('uses the history that it is given', async () => {
  const cwd = newFolder()
  const message = {
    id: 'm0',
    role: 'assistant',
    content: [{ type: 'tool_use', id: 'c0', name: 'earlier', input: { a: 1 } }],
  }
  writeFileSync(join(cwd, 'history.json'), JSON.stringify([message]))
  const awaiting = {
    type: 'awaiting',
    pending_tool_use_id: 'c0',
    pending: [{ tool_use_id: 'c0', kind: 'client' }],
  } as const
  const stdin = eventLines([started, { tier: 'fact', event: awaiting }])
  const { code, stdout } = await cli([...toSse, '--history', 'history.json'], { stdin, cwd })
  expect(code).toBe(0)
  expect(stdout).toContain('"name":"earlier"')
})

// ── Bad streams ──

test('says where an event is malformed, and ends what it wrote as failed', async () => {
  const lines = eventLines(sample).split('\n')
  lines[3] = '{"tier":"delta","event":{"type":"text_delta","delta":7}}'
  const { code, stdout, stderr } = await cli(toSse, { stdin: lines.join('\n') })
  expect(code).toBe(1)
  expect(stderr).toMatch(/^factwire: standard input: line 4: .*delta.*\n$/)
  expect(stderr.split('\n')).toHaveLength(2)
  expect(stdout).toMatch(/"event_type":"run_finish".*"code":"stream_malformed".*"termination":\{"type":"error".*\n\n$/)
})

test.each([
  ['a fact before the start', [finished], 1],
  ['a start within a run', [started, started], 2],
  ['a fact after the end', [started, finished, finished], 3],
])('refuses %s', async (_what, given, line) => {
  const { code, stdout, stderr } = await cli(events, { stdin: eventLines(given) })
  expect(code).toBe(1)
  expect(stderr).toContain(`line ${line}: `)
  expect(parsed(stdout).at(-1)?.event.type).toBe('run_failed')
})

test('ends a stream that was cut as failed, its open calls answered', async () => {
  const { code, stdout, stderr } = await cli(events, { stdin: eventLines(sample.slice(0, 7)) })
  expect(code).toBe(1)
  expect(stderr).toContain('stops after line 7')
  expect(facts(parsed(stdout)).slice(-3)).toMatchObject([
    { type: 'tool_result', id: 'c1', is_error: true },
    { type: 'step_ended', message_id: 'm1' },
    { type: 'run_failed', code: 'stream_truncated' },
  ])
})

test('ends no step that was never told', async () => {
  const call = { type: 'tool_call', id: 'c1', name: 'f', input: {}, disposition: 'executed' } as const
  const { stdout } = await cli(events, { stdin: eventLines([started, { tier: 'fact', event: call }]) })
  expect(facts(parsed(stdout)).map(({ type }) => type)).toEqual([
    'run_started',
    'tool_call',
    'tool_result',
    'run_failed',
  ])
})

test('says what is no stream of the wire at all', async () => {
  const { code, stdout, stderr } = await cli(fromSse, { stdin: 'hello\n' })
  expect(code).toBe(1)
  expect(stderr).toBe(
    'factwire: standard input: there is no message of sse in it; repair it there, or check that --from names the right wire\n',
  )
  expect(parsed(stdout).at(-1)?.event.type).toBe('run_failed')
})

test.each(['events', 'sse', 'openai-chat'])('says that there is nothing of %s', async (from) => {
  const { stderr } = await cli(['transcode', '--from', from, '--to', 'events'])
  expect(stderr).toMatch(/^factwire: standard input: (it is empty|there is nothing in it); record it again/)
})

test.each([
  ['sse', 'run_start', 'run_finish'],
  ['ag-ui', 'RUN_STARTED', 'RUN_FINISHED'],
])('takes a stream of %s that lost its start for one that was cut', async (wire, first, last) => {
  const { stdout: whole } = await cli(['transcode', '--from', 'events', '--to', wire], { stdin: eventLines(sample) })
  const messages = whole.split('\n\n')
  const lost = messages.filter((message) => !message.includes(first)).join('\n\n')
  expect(lost).toContain(last)
  const { code, stdout, stderr } = await cli(['transcode', '--from', wire, '--to', 'events'], { stdin: lost })
  expect(code).toBe(1)
  expect(stderr).toBe(
    `factwire: standard input: the run ended without a ${first}; record it again, from its start to its end\n`,
  )
  expect(parsed(stdout).at(-1)?.event).toMatchObject({ type: 'run_failed', code: 'stream_truncated' })
})

test('takes a run of AG-UI that begins within another for the cut of the first', async () => {
  const started = { type: 'RUN_STARTED', threadId: 't', runId: 'a' }
  const stdin = chat(started, { ...started, runId: 'b' }, { type: 'RUN_FINISHED', threadId: 't', runId: 'b' })
  const { code, stderr } = await cli(['transcode', '--from', 'ag-ui', '--to', 'events'], { stdin })
  expect(code).toBe(1)
  expect(stderr).toContain('another run began before the end of this one')
})

// ── What cannot be written ──

const shownThenOther = eventLines([
  started,
  { tier: 'delta', event: { type: 'text_delta', delta: 'It rains.', message_id: 'm', offset: 0 } },
  {
    tier: 'fact',
    event: { type: 'assistant_message', id: 'm', content: [{ type: 'text', text: 'It is dry.' }] },
  },
  { tier: 'fact', event: { type: 'step_ended', message_id: 'm' } },
  finished,
])

test.each(['openai-chat', 'ag-ui'])('says in one line that %s could not show a good run', async (to) => {
  const { code, stdout, stderr } = await cli(['transcode', '--from', 'events', '--to', to], { stdin: shownThenOther })
  expect(stdout).toContain('"stream_reconciliation_failed"')
  expect(code).toBe(1)
  expect(stderr).toMatch(
    new RegExp(`^factwire: the ${to} that was written ends as failed: .*\\(stream_reconciliation_failed\\).*\\n$`),
  )
})

test('shows what was corrected on AG-UI, where it is given the history', async () => {
  const cwd = newFolder()
  const earlier = [{ id: 'm0', role: 'user', content: [{ type: 'text', text: 'Does it rain?' }] }]
  writeFileSync(join(cwd, 'history.json'), JSON.stringify(earlier))
  const argv = ['transcode', '--from', 'events', '--to', 'ag-ui', '--history', 'history.json']
  const { code, stdout, stderr } = await cli(argv, { stdin: shownThenOther, cwd })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/"MESSAGES_SNAPSHOT".*"m0".*"It is dry\."/)
  expect(stdout).toContain('"RUN_FINISHED"')
})

test('does not take a run that reports such a failure for one that could not be shown', async () => {
  const code = 'stream_reconciliation_failed'
  const stdin = eventLines([started, { tier: 'fact', event: { type: 'run_failed', code, message: 'no' } }])
  for (const to of ['sse', 'ag-ui', 'openai-chat', 'anthropic-messages']) {
    expect(await cli(['transcode', '--from', 'events', '--to', to], { stdin })).toMatchObject({ code: 0, stderr: '' })
  }
})

test('does not take text about such a failure for one', async () => {
  const text = '"code":"stream_reconciliation_failed"'
  const stdin = eventLines([
    started,
    { tier: 'fact', event: { type: 'assistant_message', id: 'm', content: [{ type: 'text', text }] } },
    { tier: 'fact', event: { type: 'step_ended', message_id: 'm' } },
    { tier: 'fact', event: { type: 'run_finished', exhausted: false, result: { error: { code: text } } } },
  ])
  for (const to of ['sse', 'ag-ui', 'openai-chat', 'anthropic-messages']) {
    expect(await cli(['transcode', '--from', 'events', '--to', to], { stdin })).toMatchObject({ code: 0, stderr: '' })
  }
})

// ── After the end ──

const flat = (...given: readonly object[]): string => chat(...given)
const start = { event_type: 'run_start', thread_id: 't', run_id: 'r' }
const half = { event_type: 'text_delta', delta: 'half' }
const end = { event_type: 'run_finish', thread_id: 't', run_id: 'r', termination: { type: 'natural_end' } }
const answer = (id: object): string =>
  chat(
    ...[
      { delta: { content: 'Hi' }, finish_reason: null },
      { delta: {}, finish_reason: 'stop' },
    ].map((choice) => ({ ...id, choices: [{ index: 0, ...choice }] })),
    '[DONE]',
  )
const cutAnswer = (id: object): string => chat({ ...id, choices: [{ index: 0, delta: { content: 'Hel' } }] })

test.each([
  ['a run of the same id that was cut', 'sse', flat(start, half, end), flat(start, half), ['r', 'r-2']],
  ['a start alone', 'sse', flat(start, half, end), flat(start), ['r', 'r-2']],
  ['content without a start', 'sse', flat(start, half, end), flat(half), ['r', 'run']],
  ['what cannot be read', 'sse', flat(start, half, end), flat({ ...half, delta: 7 }), ['r', 'run']],
  ['text that is no JSON', 'openai-chat', answer({}), chat('{oops'), ['run', 'run-2']],
  ['an answer without id that was cut', 'openai-chat', answer({}), cutAnswer({}), ['run', 'run-2']],
  [
    'an answer with an empty id that was cut',
    'openai-chat',
    answer({ id: '' }),
    cutAnswer({ id: '' }),
    ['run', 'run-2'],
  ],
  ['an answer with the same id that was cut', 'openai-chat', answer({ id: 'a' }), cutAnswer({ id: 'a' }), ['a', 'a-2']],
  ['an answer with an id after one without', 'openai-chat', answer({}), cutAnswer({ id: 'a' }), ['run', 'a']],
])('takes %s, after the end of a good run, for a run that fails', async (_what, from, good, rest, ids) => {
  expect(await cli(['transcode', '--from', from, '--to', 'events'], { stdin: good })).toMatchObject({ code: 0 })
  const { code, stdout, stderr } = await cli(['transcode', '--from', from, '--to', 'events'], { stdin: good + rest })
  expect(code).toBe(1)
  expect(stderr).toMatch(/^factwire: standard input: run 2: [^\n]*\n$/)
  const ends = facts(parsed(stdout)).filter(({ type }) => type.startsWith('run_'))
  expect(ends.map(({ type }) => type)).toEqual(['run_started', 'run_finished', 'run_started', 'run_failed'])
  const written = await cli(['transcode', '--from', from, '--to', 'sse'], { stdin: good + rest })
  const starts = [...written.stdout.matchAll(/"run_start".*?"run_id":"(.*?)"/g)]
  expect(starts.map(([, id]) => id)).toEqual(ids)
})

test.each([
  ['sse', flat(start, half, end), flat(start, half, end)],
  ['openai-chat', answer({}), answer({})],
  ['openai-chat', answer({ id: 'a' }), answer({ id: 'a' })],
])('reads a whole run of %s after another, be its id the same', async (from, one, other) => {
  const { code, stdout } = await cli(['transcode', '--from', from, '--to', 'events'], { stdin: one + other })
  expect(code).toBe(0)
  expect(facts(parsed(stdout)).filter(({ type }) => type === 'run_finished')).toHaveLength(2)
})

test('shows that a second answer is nothing but a failure', async () => {
  const stdin = answer({}) + chat({ error: { message: 'busy' } }, '[DONE]')
  const { code, stdout } = await cli(['transcode', '--from', 'openai-chat', '--to', 'events'], { stdin })
  expect(code).toBe(0)
  expect(facts(parsed(stdout)).at(-1)).toMatchObject({ type: 'run_failed', message: 'busy' })
})

test.each([
  ['sse', flat(start, half, end), ': heartbeat\n\n'],
  ['sse', flat(start, half, end), flat(end)],
  ['sse', flat(start, half, end), 'data:\n\n'],
  [
    'sse',
    flat(start, half, { event_type: 'error', message: 'no' }),
    flat({ ...end, termination: { type: 'error', value: 'no' } }),
  ],
  [
    'sse',
    flat(start, half, end),
    `data: { "event_type": "run_finish", "thread_id": "t", "run_id": "r", "termination": { "type": "natural_end" } }\n\n`,
  ],
  ['openai-chat', answer({}), 'data: [DONE]\n\n: ping\n\n\n'],
  ...[{}, { id: 'a', model: 'm' }].flatMap((first) =>
    [first, { id: 'a', model: 'm' }].map((last): [string, string, string] => [
      'openai-chat',
      answer(first),
      chat({ ...last, choices: [], usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } }),
    ]),
  ),
  ['openai-chat', chat({ error: { message: 'busy' } }), 'data: [DONE]\n\n'],
])('takes an end of %s that is said again, or nothing, for nothing (%#)', async (from, good, rest) => {
  const argv = ['transcode', '--from', from, '--to', 'events']
  const alone = await cli(argv, { stdin: good })
  expect(alone.code).toBe(0)
  expect(await cli(argv, { stdin: good + rest })).toEqual(alone)
})

test('goes on with a run that waits, and reads the next after it', async () => {
  const waiting = [started, { tier: 'fact', event: { type: 'awaiting', pending_tool_use_id: null } }] as const
  const { stdout: one } = await cli(toSse, { stdin: eventLines([...waiting, started, finished]) })
  const { code, stdout } = await cli(fromSse, { stdin: one + one })
  expect(code).toBe(0)
  const types = ['run_started', 'awaiting', 'run_started', 'run_finished']
  expect(facts(parsed(stdout)).map(({ type }) => type)).toEqual([...types, ...types])
})

test.each(['events', 'sse', 'openai-chat'])('takes nothing at all for a stream of %s that was cut', async (from) => {
  const { code, stdout, stderr } = await cli(['transcode', '--from', from, '--to', 'events'])
  expect(code).toBe(1)
  expect(stderr).not.toBe('')
  expect(parsed(stdout).map(({ event }) => event.type)).toEqual(['run_started', 'run_failed'])
})

test('ends a wire that holds something else as failed', async () => {
  const { stdout: good } = await cli(toSse, { stdin: eventLines(sample) })
  const stdin = good.replace('data: {"event_type":"tool_call_ready"', 'data: {"event_type":"')
  const { code, stdout, stderr } = await cli(['transcode', '--from', 'sse', '--to', 'sse'], { stdin })
  expect(code).toBe(1)
  const number = good.split('\n\n').findIndex((text) => text.includes('tool_call_ready')) + 1
  expect(stderr).toContain(`factwire: standard input: sse message ${number}: `)
  expect(stdout).toMatch(/"event_type":"run_finish".*"termination":\{"type":"error".*\n\n$/)
})

test('ends as failed when its source breaks', async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield* bytes(eventLines(sample.slice(0, 3)))
    throw new Error('the disk is gone')
  }
  const { code, stdout, stderr } = await cli(events, { stdin: broken() })
  expect(code).toBe(1)
  expect(stderr).toContain('the disk is gone')
  expect(parsed(stdout).at(-1)?.event).toMatchObject({ type: 'run_failed', code: 'stream_failed' })
})

// ── Wrong usage ──

const empty = newFolder()
mkdirSync(join(empty, 'folder'))
writeFileSync(join(empty, 'history.json'), '{"role":"user"}')

test.each([
  ['an unknown wire', [...events.slice(0, 4), 'nope'], 'npm install @factwire/nope'],
  ['a name that is no name', [...events.slice(0, 4), '../sse'], "'../sse'"],
  ['a package without a protocol', [...events.slice(0, 4), 'core'], 'no protocol'],
  ['an unknown option', [...events, '--nope'], '--nope'],
  ['an unknown command', ['nope'], 'nope'],
  ['a missing option', ['transcode', '--from', 'events'], '--to'],
  ['a missing file', [...events, 'missing.jsonl'], 'missing.jsonl'],
  ['a folder', [...events, 'folder'], 'directory'],
  ['two files', [...events, 'a', 'b'], 'too many arguments'],
  ['a history that is none', [...events, '--history', 'history.json'], 'history.json'],
])('refuses %s in one line', async (_what, argv, word) => {
  const { code, stdout, stderr } = await cli(argv, { cwd: empty, stdin: eventLines(sample) })
  expect(code).toBe(2)
  expect(stdout).toBe('')
  expect(stderr).toMatch(/^factwire: [^\n]*\n$/)
  expect(stderr).toContain(word)
})

test('shows help where it is asked for it, and where there is no command', async () => {
  expect((await cli(['--help'])).stdout).toContain('Exit codes:')
  expect((await cli(['transcode', '--help'])).stdout).toContain('--history <file>')
  expect(await cli([])).toMatchObject({ code: 2, stdout: '' })
  expect(await cli(['--version'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) })
})

test('keeps its exit code when it cannot say what is wrong', async () => {
  const full = (): Writable =>
    new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('write ENOSPC'), { code: 'ENOSPC' })),
    })
  for (const [argv, code] of [
    [['nope'], 2],
    [events, 1],
  ] as const) {
    const stderr = full()
    const io = {
      stdin: bytes('no'),
      stdout: new Writable({ write: (_c, _e, done) => done() }),
      stderr,
      env: {},
      cwd: tmpdir,
    }
    expect(await run(argv, io)).toBe(code)
    await new Promise(setImmediate)
    expect(stderr.errored).toMatchObject({ code: 'ENOSPC' })
  }
})

test('suggests what may have been meant on the same line', async () => {
  const { code, stderr } = await cli([...fromSse, '--too', 'sse'])
  expect(code).toBe(2)
  expect(stderr).toMatch(/^factwire: unknown option '--too' \(Did you mean --to\?\) \(see factwire --help\)\n$/)
})

test.each([[], ['transcode'], ['inspect'], ['check'], ['diff']].map((command) => [[...command, '--help']]))(
  'keeps the lines of %j within 80 columns',
  async (argv) => {
    for (const columns of [80, 200]) {
      const { stdout } = await cli(argv, { columns })
      expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
    }
  },
)

test.each([[toSse], [['--help']]])('says where there is no space left, and what to do (%j)', async (argv) => {
  const said: string[] = []
  const stdout = new Writable({
    write: (_chunk, _encoding, done) => done(Object.assign(new Error('write ENOSPC'), { code: 'ENOSPC' })),
  })
  const stderr = new Writable({
    write(chunk: Buffer, _encoding, done) {
      said.push(chunk.toString())
      done()
    },
  })
  const io = { stdin: bytes(eventLines(sample)), stdout, stderr, env: {}, cwd: tmpdir }
  expect(await run(argv, io)).toBe(1)
  expect(said).toEqual([
    'factwire: cannot write to standard output: no space is left on its disk; make some, then run it again\n',
  ])
})

// ── Flow ──

test('writes while it still reads', async () => {
  let written = 0
  let writtenBeforeEnd = 0
  async function* live(): AsyncGenerator<Uint8Array> {
    yield* bytes(eventLines(sample.slice(0, -1)))
    await new Promise(setImmediate)
    await new Promise(setImmediate)
    writtenBeforeEnd = written
    yield* bytes(eventLines([finished]))
  }
  const stdout = new Writable({
    write(chunk: Buffer, _encoding, done) {
      written += chunk.length
      done()
    },
  })
  const code = await run(toSse, { stdin: live(), stdout, stderr: stdout, env: {}, cwd: tmpdir })
  expect(code).toBe(0)
  expect(writtenBeforeEnd).toBeGreaterThan(0)
})

test('reads no faster than its reader does, and keeps no more of a long stream than of a short one', async () => {
  const total = 200_000
  const delta = eventLines([{ tier: 'delta', event: { type: 'reasoning_delta', delta: 'word ', message_id: 'm' } }])
  let read = 0
  let written = 0
  let ahead = 0
  async function* long(): AsyncGenerator<Uint8Array> {
    yield* bytes(eventLines([started]))
    for (; read < total; read += 1000) {
      yield Buffer.from(delta.repeat(1000))
      ahead = Math.max(ahead, read - written)
    }
    yield* bytes(eventLines([finished]))
  }
  const stdout = new Writable({
    highWaterMark: 1024,
    write(chunk: Buffer, _encoding, done) {
      written += chunk.toString().split('\n').length - 1
      setImmediate(done)
    },
  })
  const code = await run(events, { stdin: long(), stdout, stderr: stdout, env: {}, cwd: tmpdir })
  expect(code).toBe(0)
  expect(written).toBe(total + 2)
  expect(ahead).toBeLessThan(3000)
})

test.each([1024, 1024 * 1024])(
  'ends quietly when its reader has seen enough, and stops reading (%i)',
  async (highWaterMark) => {
    let closed = false
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        yield* bytes(eventLines([started]))
        for (;;) {
          yield* bytes(eventLines([sample[1] ?? started]))
          await new Promise(setImmediate)
        }
      } finally {
        closed = true
      }
    }
    const stdout = new Writable({
      highWaterMark,
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
    })
    const complaints: string[] = []
    const stderr = new Writable({
      write(chunk: Buffer, _encoding, done) {
        complaints.push(chunk.toString())
        done()
      },
    })
    const code = await run(events, { stdin: endless(), stdout, stderr, env: {}, cwd: tmpdir })
    expect({ code, closed, complaints }).toEqual({ code: 0, closed: true, complaints: [] })
  },
)

test('a file that is cut inside a message is told as cut, not as malformed', async () => {
  const { stdout: whole } = await cli([...toSse, '--thread', 'th', '--run', 'ru'], { stdin: eventLines(sample) })
  const { code, stderr } = await cli(fromSse, { stdin: whole.slice(0, whole.indexOf('"event_type"', 100) + 5) })
  expect(code).toBe(1)
  expect(stderr).toMatch(/the stream ended inside sse message \d+; record it again/)
})
