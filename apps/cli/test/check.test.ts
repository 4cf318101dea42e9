import { expect, test } from 'vitest'
import { bytes, cli } from './cli.ts'
import { eventLines, sample } from './sample.ts'

/** The sample as a wire has it. */
async function written(to: string): Promise<string> {
  return (await cli(['transcode', '--from', 'events', '--to', to], { stdin: eventLines(sample) })).stdout
}

/** The same without its n-th message. */
const without = (text: string, place: number): string =>
  text
    .split('\n\n')
    .filter((_, index, all) => index !== (place < 0 ? all.length - 1 + place : place))
    .join('\n\n')

test.each(['sse', 'ag-ui', 'openai-chat', 'anthropic-messages'])(
  'finds nothing in what is written as %s, and says so in one line',
  async (wire) => {
    const { code, stdout, stderr } = await cli(['check'], { stdin: await written(wire) })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(new RegExp(`^good: \\d+ frames of ${wire}, and no rule is broken\\n$`))
  },
)

test.each(['sse', 'ag-ui', 'openai-chat', 'anthropic-messages'])('finds that %s has no start', async (wire) => {
  const { code, stdout, stderr } = await cli(['check', '--wire', wire], { stdin: without(await written(wire), 0) })
  expect(code).toBe(1)
  expect(stdout).toMatch(/^frame 1 {2}[a-z-]+ {2}.*\(.+; .+ was .+, then came .+\)$/m)
  expect(stderr).toMatch(new RegExp(`^factwire: standard input: \\d+ breach(es)? of the rules of ${wire}\\n$`))
})

test.each(['sse', 'ag-ui', 'openai-chat', 'anthropic-messages'])('finds that %s has no end', async (wire) => {
  const { code, stdout } = await cli(['check', '--wire', wire], { stdin: without(await written(wire), -1) })
  expect(code).toBe(1)
  expect(stdout).not.toBe('')
})

test('says with each breach what a client makes of it', async () => {
  const { stdout } = await cli(['check', '--wire', 'openai-chat'], { stdin: 'data: [DONE]\n\n' })
  expect(stdout).toContain('(the client gives the stream up; ')
})

test.each([
  ['ag-ui', 'start-of-run', '@ag-ui/client 1.0.0, src/verify/verify.ts: firstEventReceived'],
  ['openai-chat', 'role-first', 'https://platform.openai.com/docs/api-reference/chat-streaming/streaming (delta)'],
  ['sse', 'run-starts-first', 'Awaken 0.6, Events: run_start'],
])('says of a stream of %s where the rule %s stands', async (wire, rule, place) => {
  const { stdout } = await cli(['check', '--wire', wire], { stdin: without(await written(wire), 0) })
  expect(stdout.split('\n').find((line) => line.includes(`  ${rule}  `))).toContain(`; see ${place})`)
})

test('checks each run of a stream by itself, and goes on counting', async () => {
  const one = await written('sse')
  const whole = await cli(['check', '--wire', 'sse'], { stdin: one + one })
  expect({ code: whole.code, stderr: whole.stderr }).toEqual({ code: 0, stderr: '' })
  const frames = one.split('\n\n').length - 1
  const broken = await cli(['check', '--wire', 'sse'], { stdin: one + without(one, -1) })
  expect(broken.code).toBe(1)
  expect(broken.stdout).toContain(`frame ${2 * frames}  `)
})

test('tells what is no frame at all, and goes on', async () => {
  const good = await written('ag-ui')
  const [first, ...rest] = good.split('\n\n')
  const { code, stdout } = await cli(['check', '--wire', 'ag-ui'], {
    stdin: [first, 'data: {"type":"\u001b[31m', ...rest].join('\n\n'),
  })
  expect(code).toBe(1)
  expect(stdout).toMatch(/^frame 2 {2}malformed_json {2}[\u0020-\u007e]*\n$/)
})

test('tells that a stream ends inside a frame', async () => {
  const text = await written('openai-chat')
  const { code, stdout } = await cli(['check', '--wire', 'openai-chat'], { stdin: text.slice(0, text.length / 2) })
  expect(code).toBe(1)
  expect(stdout).toMatch(/^frame \d+ {2}cut {2}The stream ends inside it\.$/m)
})

test('tells each breach as it comes', async () => {
  const first = without(await written('sse'), 0)
  let read = 0
  async function* slow(): AsyncGenerator<Uint8Array> {
    for (let count = 0; count < 1000; count++) {
      read++
      yield* bytes(first)
    }
  }
  const { code, stdout } = await cli(['check', '--wire', 'sse'], { stdin: slow() })
  expect({ code, read }).toEqual({ code: 1, read: 1000 })
  expect(stdout.split('\n').length).toBeGreaterThan(1000)
})

test('has nothing to check neutral events by', async () => {
  const { code, stderr } = await cli(['check'], { stdin: eventLines(sample) })
  expect(code).toBe(2)
  expect(stderr).toContain("the wire 'events' has no grammar")
})

test('does not guess what could be anything', async () => {
  expect((await cli(['check'], { stdin: 'hello\n' })).code).toBe(2)
  expect((await cli(['check', '--wire', 'nope'], { stdin: '' })).code).toBe(2)
})

test('says how to name the wire of what tells nothing of it', async () => {
  const { code, stderr } = await cli(['check'], { stdin: '' })
  expect(code).toBe(2)
  expect(stderr).toBe(
    'factwire: standard input: there is nothing to tell the wire by; say it with --wire <wire> (see factwire --help)\n',
  )
})
