import { factEvent } from '@factwire/core'
import { expect, test } from 'vitest'
import { cli } from './cli.ts'
import { eventLines, finished, sample, started } from './sample.ts'

const ESCAPE = '\u001b'

test('shows a stream as a timeline, pieces of one thing on one line', async () => {
  const { code, stdout } = await cli(['inspect', '--from', 'events'], { stdin: eventLines(sample) })
  expect(code).toBe(0)
  expect(stdout).toMatchInlineSnapshot(`
    "read as events

            1  fact   run started
          2-3  delta  text           m1  "Let me look."  (2 pieces, 12 chars)
          4-5  delta  arguments      c1  weather {"city":"Zürich"}  (2 pieces, 17 chars)
            6  fact   message        m1  "Let me look."
            7  fact   call           c1  weather {"city":"Zürich"} (executed)
            8  fact   inference      demo  12 tokens in, 5 out, 840 ms
            9  fact   result         c1  "22 °C"
           10  fact   step ended     m1
           11  delta  text           m2  "It is 22 °C."
           12  fact   message        m2  "It is 22 °C."
           13  fact   step ended     m2
           14  fact   run finished   natural end

    finished (natural end); 14 events: 9 facts, 5 deltas; 2 messages, 1 call; 12 tokens in, 5 out
    "
  `)
})

test.each([
  ['events', eventLines(sample)],
  [
    'anthropic-messages',
    'event: message_start\ndata: {"type":"message_start","message":{"id":"m","model":"c"}}\n\n' +
      'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}\n\n' +
      'event: message_stop\ndata: {"type":"message_stop"}\n\n',
  ],
  [
    'openai-chat',
    'data: {"id":"c","model":"m","choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n',
  ],
])('tells %s by its beginning and says so', async (name, stdin) => {
  const { code, stdout } = await cli(['inspect'], { stdin })
  expect(code).toBe(0)
  expect(stdout).toContain(`read as ${name}, `)
})

test('tells the wire that it wrote itself', async () => {
  const { stdout: stdin } = await cli(['transcode', '--from', 'events', '--to', 'sse'], { stdin: eventLines(sample) })
  const { code, stdout } = await cli(['inspect'], { stdin })
  expect(code).toBe(0)
  expect(stdout).toContain('read as sse, ')
  expect(stdout).toContain('finished (natural end)')
})

test.each(['', 'hello\n', '{"a":1}\n', '<html>\n'])('does not guess what %j is', async (stdin) => {
  const { code, stdout, stderr } = await cli(['inspect'], { stdin })
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain('--from <wire>')
})

test('lets no text of the stream steer the terminal', async () => {
  const evil = `${ESCAPE}]0;title\u0007${ESCAPE}[2J\u009b31m\u202e\r\nx`
  const stdin = eventLines([
    started,
    { tier: 'delta', event: { type: 'text_delta', delta: evil, message_id: evil } },
    { tier: 'fact', event: { type: 'run_failed', code: evil, message: evil } },
  ])
  const { stdout } = await cli(['inspect', '--from', 'events'], { stdin })
  expect(stdout.replaceAll('\n', '')).toMatch(/^[\u0020-\u007e]*$/)
  const bad = await cli(['transcode', '--from', 'events', '--to', 'events'], { stdin: `${evil}\n` })
  expect(bad.stderr).toMatch(/^[\u0020-\u007e]*\n$/)
})

test('is coloured on a terminal, unless told not to', async () => {
  const stdin = eventLines(sample)
  const argv = ['inspect', '--from', 'events']
  expect((await cli(argv, { stdin, isTTY: true })).stdout).toContain(ESCAPE)
  expect((await cli(argv, { stdin, isTTY: true, env: { NO_COLOR: '1' } })).stdout).not.toContain(ESCAPE)
  expect((await cli(argv, { stdin })).stdout).not.toContain(ESCAPE)
})

test('keeps a line within the width of the terminal', async () => {
  const long = { tier: 'delta', event: { type: 'text_delta', delta: '𝄞'.repeat(5000), message_id: 'm' } } as const
  const { stdout } = await cli(['inspect', '--from', 'events'], {
    stdin: eventLines([started, long, long]),
    columns: 80,
  })
  const line = stdout.split('\n').find((text) => text.includes('text')) ?? ''
  expect(line.length).toBeGreaterThan(78)
  expect(line.length).toBeLessThanOrEqual(80)
  expect(line).toContain('…  (2 pieces, 20000 chars)')
  // Not in the middle of a pair.
  expect(line).not.toMatch(/\p{Cs}/u)
})

test('shows a bad stream up to where it is bad', async () => {
  const { code, stdout, stderr } = await cli(['inspect', '--from', 'events'], { stdin: eventLines(sample.slice(0, 4)) })
  expect(code).toBe(1)
  expect(stdout).toContain('failed (stream_truncated)')
  expect(stderr).toContain('stops after line 4')
})

test('says no duration where none is known', async () => {
  const inference = (duration_ms: number) =>
    ({ tier: 'fact', event: { type: 'inference_completed', model: 'm', duration_ms } }) as const
  const { stdout } = await cli(['inspect', '--from', 'events'], {
    stdin: eventLines([started, inference(0), inference(7)]),
  })
  expect(stdout).toMatch(/inference {6}m {2}usage unknown\n/)
  expect(stdout).toMatch(/inference {6}m {2}usage unknown, 7 ms\n/)
})

test('shows what was said to a run that went on', async () => {
  const message = { id: 'u', role: 'user', content: [{ type: 'text', text: 'Be brief.' }] } as const
  const steered = factEvent({ type: 'continuation', steered: true, detail: null, messages: [message] })
  const { stdout } = await cli(['inspect', '--from', 'events'], { stdin: eventLines([started, steered, finished]) })
  expect(stdout).toContain('continuation   steered user u "Be brief."\n')
})
