/**
 * What it costs a server to give one event to each of many readers: CPU microseconds a delivery, in rounds that take turns.
 * Arguments: how many readers, how many rounds, how many ticks in each.
 *
 * `bare` is the least that node does: one shared buffer, written to every response.
 */
import { createServer, type ServerResponse } from 'node:http'
import { createHub, memoryStore, type Producer } from '@factwire/hub'
import { sse } from '@factwire/sse'
import { listen, readersIn } from '../loopback.ts'
import { pipe } from '../node-sink.ts'

const [readers = 0, rounds = 0, ticks = 0] = process.argv.slice(2).map(Number)
const RUN = { threadId: 'thread-1', runId: 'run-1' }
const PENDING = 16
const DELTA = 'about as long as what a model says at once, twice or so '

const hub = createHub({ store: memoryStore(), owner: 'bench' })
const bare = new Set<ServerResponse>()
const server = createServer((request, response) => {
  if (request.url === '/hub') {
    void hub.attach(RUN.runId, sse).then((attached) => {
      if (attached.type !== 'stream') throw new TypeError(attached.message)
      pipe(attached, response)
    })
    return
  }
  response.writeHead(200, { 'content-type': sse.framing.mediaType, ...sse.framing.headers })
  response.flushHeaders()
  bare.add(response)
})

const producer: Producer = await hub.produce(RUN)
await producer.commit({ messages: [], state: { type: 'running' } })
const port = String(await listen(server))
const script = new URL('./fan-out-readers.js', import.meta.url)
const clients = ['/hub', '/bare'].map((path) => readersIn(script, [port, path, String(readers)]))
await Promise.all(clients.map((each) => each.line()))

let message = 'message-0'
let said = ''
function say(): void {
  said += DELTA
  producer.delta({ type: 'text_delta', message_id: message, delta: DELTA })
}

/** A step that never ends holds its text. */
async function endStep(): Promise<void> {
  const content = [{ type: 'text', text: said }] as const
  await producer.commit({ messages: [{ id: message, role: 'assistant', content }], state: { type: 'running' } })
  message = `${message}-`
  said = ''
  await turn()
}

const frame = Buffer.from(sse.framing.text({ event_type: 'text_delta', delta: DELTA }, 12_345))
function write(): void {
  for (const response of bare) response.write(frame)
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** CPU of one tick, in microseconds. */
async function cost(tick: () => void): Promise<number> {
  const before = process.cpuUsage()
  tick()
  // The hub writes when the turn is over.
  await turn()
  await turn()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

function sayMany(): void {
  for (let index = 0; index < PENDING; index++) say()
}

const contenders = { bare: write, one: say, many: sayMany }
const costs: Record<string, number[]> = { bare: [], one: [], many: [] }
// The first round warms up.
for (let round = 0; round <= rounds; round++) {
  const sums: Record<string, number> = {}
  for (let tick = 0; tick < ticks; tick++) {
    // In turns, and each as often first as last: what one leaves to do for others costs the next.
    const order = Object.entries(contenders)
    for (let first = 0; first < (tick + round) % order.length; first++) order.push(...order.splice(0, 1))
    for (const [name, run] of order) sums[name] = (sums[name] ?? 0) + (await cost(run))
  }
  for (const [name, sum] of Object.entries(sums)) if (round > 0) costs[name]?.push(sum / ticks / readers)
  await endStep()
}
const { deliveries } = hub.metrics()
if (deliveries < 2 * (rounds + 1) * ticks * readers) throw new Error(`only ${deliveries} deliveries`)
for (const each of clients) each.kill()
console.log(JSON.stringify(costs))
process.exit(0)
