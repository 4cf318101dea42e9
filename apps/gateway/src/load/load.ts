/**
 * A gateway under load, beside as little as a server can do for the same readers: `npm run load:gateway`, with `--idle`, `--readers`, `--rate`
 * and `--seconds`; with `--kill` it is killed in the middle instead. Idle readers of a run that waits, then readers of a run that speaks. It fails for gaps and for what is held, never
 * for times: those are the machine's too.
 */
import { parseArgs } from 'node:util'
import type { Metrics } from '@factwire/hub'
import { begin } from './begin.ts'
import { type Child, child, type Usage } from './children.ts'
import { killed } from './killed.ts'
import type { Seen } from './reading.ts'

const { values } = parseArgs({
  options: {
    idle: { type: 'string', default: '5000' },
    readers: { type: 'string', default: '1000' },
    rate: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '15' },
    kill: { type: 'boolean', default: false },
  },
})
const idle = Number(values.idle)
const readers = Number(values.readers)
const perSecond = Number(values.rate)
const seconds = Number(values.seconds)
const LARGEST_READER = 25 * 1024

interface Measured {
  readonly idleBytes: number
  /** Microseconds of CPU, one word to one reader. */
  readonly cost: number
  readonly share: number
  readonly seen: Seen
  readonly usage: Usage & { readonly metrics?: readonly Metrics[] }
}

async function measure(script: string): Promise<Measured> {
  const [server, reading] = [child(script), child('./reading.js')]
  try {
    return await measured(server, reading)
  } finally {
    server.kill()
    reading.kill()
  }
}

async function measured(server: Child, reading: Child): Promise<Measured> {
  const { port } = await server.ask<{ readonly port: number }>({ type: 'listen' })
  const waits = (await begin(port, 'approval')).events
  // What the first connections cost once and for all is nobody's in particular.
  await reading.ask({ type: 'open', port, path: waits, count: 20 })
  await reading.ask({ type: 'close' })
  const before = await server.ask<Usage>({ type: 'usage' })
  await reading.ask({ type: 'open', port, path: waits, count: idle })
  const held = await server.ask<Usage>({ type: 'usage' })
  await reading.ask({ type: 'close' })

  const speaks = (await begin(port, 'load')).events
  await reading.ask({ type: 'open', port, path: speaks, count: readers })
  const quiet = await server.ask<Usage>({ type: 'usage' })
  const begun = performance.now()
  await server.ask({ type: 'speak', perSecond, seconds })
  const seen = await reading.ask<Seen>({ type: 'seen' })
  const took = performance.now() - begun
  const usage = await server.ask<Measured['usage']>({ type: 'usage' })
  const cpu = usage.cpu - quiet.cpu
  return {
    idleBytes: (held.rss - before.rss) / idle,
    cost: cpu / (perSecond * seconds * readers),
    share: cpu / (took * 1000),
    seen,
    usage,
  }
}

if (values.kill) {
  const { told, faults } = await killed({ idle, readers, perSecond, seconds })
  process.stdout.write([told, ...faults.map((fault) => `FAULT: ${fault}\n`)].join(''))
  process.exit(faults.length === 0 ? 0 : 1)
}

const ceiling = await measure('./ceiling.js')
const own = await measure('./serving.js')

const row = (name: string, { idleBytes, cost, share, seen, usage }: Measured): string =>
  `${name.padEnd(10)} ${(idleBytes / 1024).toFixed(1).padStart(6)} KiB an idle reader   p50 ${String(seen.p50).padStart(4)} ms, p99 ${String(seen.p99).padStart(4)} ms   ${cost.toFixed(2).padStart(6)} µs CPU a delivery, ${Math.round(share * 100)} % of a core   ${Math.round(usage.rss / 2 ** 20)} MiB RSS`
const [metrics] = own.usage.metrics ?? []
const faults = [
  ...(own.seen.cut > 0 ? [`${own.seen.cut} readers did not come to the end`] : []),
  ...(own.seen.different > 0 ? [`${own.seen.different} readers have another text than the first`] : []),
  // Of few readers nothing can be said.
  ...(idle >= 1000 && own.idleBytes > LARGEST_READER
    ? [`an idle reader holds ${Math.round(own.idleBytes)} bytes`]
    : []),
  ...(metrics && metrics.windowBytes > 3 * metrics.limits.windowBytes ? ['the window is larger than its limit'] : []),
]
process.stdout.write(
  [
    `${idle} idle readers; then ${readers} readers of ${perSecond} words a second, for ${seconds} s`,
    row('bare node', ceiling),
    row('gateway', own),
    `readers with a gap: ${own.seen.cut + own.seen.different}`,
    ...faults.map((fault) => `FAULT: ${fault}`),
    '',
  ].join('\n'),
)
process.exit(faults.length === 0 ? 0 : 1)
