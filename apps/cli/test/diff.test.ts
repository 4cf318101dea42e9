import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentEvent, Fact } from '@factwire/core'
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
  const [call] = [sample.filter(({ event }) => !event.type.startsWith('tool_'))]
  expect((await compare(await recorded(call, 'sse'), await recorded(call, 'openai-chat'))).code).toBe(0)
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
