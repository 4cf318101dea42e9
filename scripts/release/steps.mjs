// The log of a rehearsal: one line for each step, with its seconds.
import { availableParallelism } from 'node:os'

export const secondsSince = (begin) => ((performance.now() - begin) / 1000).toFixed(1)

/** Nothing follows a step that fails. */
export async function step(name, work) {
  const begin = performance.now()
  const line = (mark, detail = '') =>
    console.log(`${mark} ${name.padEnd(32)}${secondsSince(begin).padStart(6)} s  ${detail}`.trimEnd())
  try {
    const detail = await work()
    line('✓', detail)
    return detail
  } catch (error) {
    line('✗')
    throw new Error(`${name}: ${error.message}`, { cause: error })
  }
}

/** In their order, as many at once as there are processors. */
export async function inParallel(works) {
  const waiting = [...works]
  const worker = async () => {
    for (let next; (next = waiting.shift());) await next()
  }
  await Promise.all(Array.from({ length: availableParallelism() }, worker))
}

/** Two lists are the same, in whatever order. */
export function expectSame(what, found, expected) {
  const [a, b] = [found, expected].map((list) => [...list].toSorted((x, y) => (x < y ? -1 : 1)).join(', '))
  if (a !== b) throw new Error(`${what}: ${a || 'nothing'}\nexpected: ${b || 'nothing'}`)
}
