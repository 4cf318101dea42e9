/** Samples in, what is said of them out. */

/** The middle of samples, and how far they go. */
export interface Spread {
  readonly median: number
  readonly low: number
  readonly high: number
}

/** @throws TypeError without samples. */
export function spread(samples: readonly number[]): Spread {
  const sorted = samples.toSorted((a, b) => a - b)
  const [low, high] = [sorted[0], sorted.at(-1)]
  if (low === undefined || high === undefined) throw new TypeError('no samples: measure at least one round')
  return { median: median(sorted), low, high }
}

function median(sorted: readonly number[]): number {
  const half = sorted.length / 2
  const upper = sorted[Math.floor(half)] ?? 0
  return Number.isInteger(half) ? ((sorted[half - 1] ?? 0) + upper) / 2 : upper
}

/** What each sample is to the one of the same round. */
export function ratios(samples: readonly number[], base: readonly number[]): number[] {
  return samples.map((sample, round) => sample / (base[round] ?? 0))
}

/** How a cost grows. 1 is linear, 2 quadratic. */
export interface Growth {
  /** Over the last doubling of the size. */
  readonly last: number
  /** Over all sizes: the slope of the least squares, both axes logarithmic. */
  readonly all: number
}

/** `sizes` double. Sizes and costs belong together by place. */
export function growth(sizes: readonly number[], costs: readonly number[]): Growth {
  const x = sizes.map(Math.log2)
  const y = costs.map(Math.log2)
  const [meanX, meanY] = [mean(x), mean(y)]
  let above = 0
  let below = 0
  x.forEach((at, index) => {
    above += (at - meanX) * ((y[index] ?? 0) - meanY)
    below += (at - meanX) ** 2
  })
  const last = ((y.at(-1) ?? 0) - (y.at(-2) ?? 0)) / ((x.at(-1) ?? 0) - (x.at(-2) ?? 0))
  return { last, all: above / below }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
