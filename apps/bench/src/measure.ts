/** CPU time, in alternating rounds: what disturbs one contender disturbs the others as well. */

export interface Contender {
  readonly name: string
  /** Runs the whole workload and gives its output. */
  run(): string
}

export interface Timing {
  readonly name: string
  /** Median CPU nanoseconds of one run of the workload. */
  readonly median: number
  readonly lowest: number
  readonly highest: number
}

const WARM_UP = 3

export function measure(contenders: readonly Contender[], rounds: number): Timing[] {
  for (let round = 0; round < WARM_UP; round++) for (const contender of contenders) contender.run()
  const times = contenders.map((): number[] => [])
  for (let round = 0; round < rounds; round++) {
    contenders.forEach((contender, index) => times[index]?.push(cpuTime(contender)))
  }
  return contenders.map(({ name }, index) => {
    const sorted = (times[index] ?? []).toSorted((a, b) => a - b)
    const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? 0
    return { name, median: at(0.5), lowest: at(0), highest: at(1) }
  })
}

function cpuTime({ run }: Contender): number {
  const before = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) * 1000
}
