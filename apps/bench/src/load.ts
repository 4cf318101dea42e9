/**
 * A thousand readers of one process over HTTP: first undisturbed, then while 5 % of them stall, each of which is offered 50,000 deltas
 * meanwhile: the buffers of the machine take the first megabytes. Prints what the others waited, what was held, and whether any fact was
 * missing. `npm run load`, `-- --quick` for less of it.
 */
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { runWriter } from '@factwire/core'
import { createHub, memoryStore, type Metrics } from '@factwire/hub'
import { sse } from '@factwire/sse'
import { listen, type Readers, readersIn } from './loopback.ts'
import { pipe } from './node-sink.ts'

const quick = process.argv.includes('--quick')
const READERS = 1000
const STALLED = 50
const SECONDS = quick ? 4 : 20
/** Deltas a second, and deltas of one step. */
const RATE = 10
const STEP = 100
const OFFERED = quick ? 10_000 : 50_000
const CLIENTS = new URL('./children/load-readers.js', import.meta.url)

// Who is ended would come back; here everybody stays, however slow the machine is.
const hub = createHub({ store: memoryStore(), owner: 'load', limits: { flushMs: 20, blockedMs: 600_000 } })
const server = createServer((request, response) => {
  void hub.attach(request.url?.slice(1) ?? '', sse).then((attached) => {
    if (attached.type === 'stream') pipe(attached, response)
    else response.writeHead(500).end(attached.message)
  })
})
const port = await listen(server)

interface Told {
  readonly steps: number
  readonly hash: string
}

interface Seen {
  readonly p50: number
  readonly p99: number
  readonly steps: readonly (readonly [number, number])[]
  readonly hashes: readonly string[]
}

const most = { windowBytes: 0, openUnits: 0, rss: 0 }

function look({ windowBytes, openUnits }: Metrics): void {
  most.windowBytes = Math.max(most.windowBytes, windowBytes)
  most.openUnits = Math.max(most.openUnits, openUnits)
  most.rss = Math.max(most.rss, process.memoryUsage.rss())
}

/** Says so many deltas, evenly; gives what its readers should have seen. */
async function speak(runId: string, deltas: number, rate: number): Promise<Told> {
  const producer = await hub.produce({ threadId: 'thread-1', runId })
  begun.get(runId)?.()
  await ready.get(runId)
  const writer = runWriter({ runId })
  const hash = createHash('sha256')
  const begin = performance.now()
  let steps = 0
  for (let index = 0; index < deltas; index++) {
    const words = `delta ${index} @${Date.now()} ${'x'.repeat(60)} `
    hash.update(words)
    void producer.write(writer.text(words))
    if (index % STEP === STEP - 1) {
      await producer.write(writer.commit())
      steps++
    }
    const ahead = begin + ((index + 1) * 1000) / rate - performance.now()
    if (ahead > 1) await pause(ahead)
    if (index % 100 === 0) look(hub.metrics())
  }
  await producer.write(writer.end())
  return { steps: steps + (deltas % STEP === 0 ? 0 : 1), hash: hash.digest('hex') }
}

const begun = new Map<string, () => void>()
const ready = new Map<string, Promise<unknown>>()

/** The run, and its readers; those that stall read again when all has been said. */
async function round(
  runId: string,
  count: number,
  stalled: number,
  deltas: number,
  rate: number,
): Promise<{ readonly told: Told; readonly seen: Seen }> {
  let clients: Readers | undefined
  const there = new Promise<void>((resolve) => begun.set(runId, resolve))
  ready.set(
    runId,
    there.then(() => {
      clients = readersIn(CLIENTS, [String(port), `/${runId}`, String(count), String(stalled)])
      return clients.line()
    }),
  )
  const told = await speak(runId, deltas, rate)
  if (!clients) throw new Error('nobody reads')
  clients.tell('go')
  const seen = JSON.parse(await clients.line()) as Seen
  return { told, seen }
}

/** How many readers miss a fact, or have another text. */
function gaps({ told, seen }: { readonly told: Told; readonly seen: Seen }): number {
  const short = seen.steps.filter(([steps]) => steps !== told.steps).reduce((sum, [, readers]) => sum + readers, 0)
  return short + seen.hashes.filter((hash) => hash !== told.hash).length
}

const calm = await round('calm', READERS, 0, SECONDS * RATE, RATE)
const [crowd, flood] = await Promise.all([
  round('crowd', READERS - STALLED, 0, SECONDS * RATE, RATE),
  round('flood', STALLED, STALLED, OFFERED, OFFERED / SECONDS),
])
const { limits, ...metrics } = hub.metrics()
const lines = [
  `${READERS} readers, ${STALLED} of them stalled and offered ${OFFERED} deltas, for ${SECONDS} s`,
  `readers with a gap: ${gaps(calm) + gaps(crowd) + gaps(flood)}`,
  `the others waited p50 ${crowd.seen.p50} ms, p99 ${crowd.seen.p99} ms; undisturbed p50 ${calm.seen.p50} ms, p99 ${calm.seen.p99} ms`,
  `held at most: ${most.windowBytes} B of window (limit ${limits.windowBytes} a run), ${most.openUnits} units open, ${Math.round(most.rss / 2 ** 20)} MiB RSS`,
  JSON.stringify(metrics),
]
for (const line of lines) console.log(line)
process.exit(gaps(calm) + gaps(crowd) + gaps(flood) === 0 && most.windowBytes <= 3 * limits.windowBytes ? 0 : 1)
