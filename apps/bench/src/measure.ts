/** CPU time of contenders, in rounds of random order: what disturbs one disturbs its neighbours as well. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Contender } from './contender.ts'
import { type Random, shuffled } from './random.ts'

export interface Timing {
  readonly name: string
  /** CPU nanoseconds, user and system, of one run of the workload, round by round. */
  readonly samples: readonly number[]
}

export interface Rounds {
  readonly rounds: number
  readonly order: Random
  /** CPU nanoseconds before anything counts, in which code is compiled. Default: enough. */
  readonly warmUp?: number
}

interface Runner {
  readonly contender: Contender
  readonly repeats: number
  readonly samples: number[]
}

/** Nanoseconds. Less than this in one sample, and the clock is seen. */
const SAMPLE = 8e6
const WARM_UP = 400e6

export async function measure(
  contenders: readonly Contender[],
  { rounds, order, warmUp: least = WARM_UP }: Rounds,
): Promise<Timing[]> {
  const runners: Runner[] = []
  for (const contender of contenders) runners.push({ contender, repeats: await warmUp(contender, least), samples: [] })
  for (let round = 0; round < rounds; round++) {
    for (const { contender, repeats, samples } of shuffled(runners, order)) {
      samples.push((await cpuTime(contender, repeats)) / repeats)
    }
  }
  return runners.map(({ contender: { name }, samples }) => ({ name, samples }))
}

/** Runs until it is compiled. Gives how many runs one sample takes. */
export async function warmUp(contender: Contender, least = WARM_UP): Promise<number> {
  let total = 0
  let last = 0
  for (let run = 0; run < 2 || total < least; run++) {
    last = Math.max(1000, await cpuTime(contender, 1))
    total += last
  }
  return Math.max(1, Math.ceil(SAMPLE / last))
}

/** Of `repeats` runs, in nanoseconds. */
export async function cpuTime({ run }: Contender, repeats: number): Promise<number> {
  let size = 0
  const take = (piece: Uint8Array | string): void => {
    size += piece.length
  }
  // What the one before left behind is not for this one to sweep.
  sweep()
  const before = process.cpuUsage()
  for (let done = 0; done < repeats; done++) {
    const running = run(take)
    if (running) await running
  }
  const { user, system } = process.cpuUsage(before)
  if (size === 0) throw new Error('a contender gave nothing')
  return (user + system) * 1000
}

setFlagsFromString('--expose-gc')
const collect: (options: { readonly type: 'minor' }) => void = runInNewContext('gc')

/** Empties the nursery. */
function sweep(): void {
  collect({ type: 'minor' })
}
