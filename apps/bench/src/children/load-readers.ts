/**
 * Readers of a hub's run over HTTP, and what they saw. Arguments: a port, a path, how many, how many of them stall, how many facts end
 * steps. A line on standard input lets the stalled ones read again.
 *
 * Every delta says when it was sent. Those who stall, and a few of the others, fold the whole text.
 */
import { createHash } from 'node:crypto'
import { get, type IncomingMessage } from 'node:http'

const [port, path, ...numbers] = process.argv.slice(2)
const [count = 0, stalled = 0] = numbers.map(Number)
const SAMPLED = 20
const STEP_END = '"step_end"'

const latencies: number[] = []
const responses: IncomingMessage[] = []
const hashes = new Set<string>()
const ends = new Map<number, number>()
let over = 0

function open(index: number): void {
  get({ host: '127.0.0.1', port: Number(port), path, agent: false }, (response) => {
    responses.push(response)
    follow(response, index)
    if (index < stalled) response.pause()
    if (responses.length === count) console.log('ready')
  })
}

function follow(response: IncomingMessage, index: number): void {
  const whole = index < stalled + SAMPLED ? createHash('sha256') : undefined
  let rest = ''
  let steps = 0
  response.setEncoding('utf8')
  response.on('data', (text: string) => {
    const now = Date.now()
    const given = rest + text
    const end = given.lastIndexOf('\n\n')
    rest = given.slice(end + 2)
    const frames = given.slice(0, end + 2)
    for (let at = frames.indexOf(STEP_END); at >= 0; at = frames.indexOf(STEP_END, at + 1)) steps++
    if (whole) for (const [, words] of frames.matchAll(/"text_delta","delta":"([^"]*)"/g)) whole.update(words ?? '')
    const sent = text.lastIndexOf('@')
    if (index >= stalled && sent >= 0) latencies.push(now - Number.parseInt(text.slice(sent + 1, sent + 14), 10))
  })
  response.on('end', () => {
    ends.set(steps, (ends.get(steps) ?? 0) + 1)
    if (whole) hashes.add(whole.digest('hex'))
    if (++over === count) report()
  })
}

function report(): void {
  latencies.sort((a, b) => a - b)
  const at = (share: number): number => latencies[Math.floor(share * (latencies.length - 1))] ?? 0
  console.log(JSON.stringify({ p50: at(0.5), p99: at(0.99), steps: [...ends], hashes: [...hashes] }))
  process.exit(0)
}

process.stdin.on('data', () => {
  for (const response of responses) response.resume()
})
for (let index = 0; index < count; index++) open(index)
