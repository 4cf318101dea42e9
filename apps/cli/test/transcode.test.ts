import { mkdtempSync, mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { run } from '../src/main.ts'
import { bytes, cli } from './cli.ts'
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
  const cwd = mkdtempSync(join(tmpdir(), 'factwire-history-'))
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
  expect(facts(parsed(stdout)).slice(-2)).toMatchObject([
    { type: 'tool_result', id: 'c1', is_error: true },
    { type: 'run_failed', code: 'stream_truncated' },
  ])
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
  expect(stderr).toMatch(/^factwire: .*message \d+: .*\n$/)
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

const empty = mkdtempSync(join(tmpdir(), 'factwire-empty-'))
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
