/** Where the time of a contender goes: functions by the time that was spent in themselves. */
import { type Profiler, Session } from 'node:inspector/promises'
import type { Contender } from './contender.ts'
import { cpuTime, warmUp } from './measure.ts'

export interface Hot {
  readonly name: string
  /** Of all the time, from 0 to 1. */
  readonly share: number
}

/** Nanoseconds to watch for. */
const WATCH = 1e9
/** Microseconds between two looks. */
const INTERVAL = 200

export async function hottest(contender: Contender, count: number): Promise<Hot[]> {
  await warmUp(contender)
  const repeats = Math.ceil(WATCH / Math.max(1, await cpuTime(contender, 1)))
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: INTERVAL })
  await session.post('Profiler.start')
  await cpuTime(contender, repeats)
  const { profile } = await session.post('Profiler.stop')
  session.disconnect()
  return shares(profile).slice(0, count)
}

function shares({ nodes }: Profiler.Profile): Hot[] {
  const hits = new Map<string, number>()
  let total = 0
  for (const { callFrame, hitCount = 0 } of nodes) {
    total += hitCount
    const name = nameOf(callFrame)
    hits.set(name, (hits.get(name) ?? 0) + hitCount)
  }
  const sorted = [...hits].toSorted(([, one], [, other]) => other - one)
  return sorted.map(([name, hit]) => ({ name, share: hit / total }))
}

function nameOf({ functionName, url, lineNumber }: Profiler.ProfileNode['callFrame']): string {
  const name = functionName || '(anonymous)'
  if (url === '') return name
  const file = /(?:packages|apps|node_modules)\/(?!.*node_modules).*/.exec(url)?.[0] ?? url
  return `${name} ${file}:${lineNumber + 1}`
}
