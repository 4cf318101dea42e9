/** A step of a producer on its way into the store, and whether what is stored under its key is the same. */
import { FactwireError } from '@factwire/core'
import { patiently } from './patience.ts'
import type { Setting } from './setting.ts'
import type { Append } from './store.ts'

/** Gives the run's revision with it. @throws FactwireError `run_taken` when another has the run, `store_failed`. */
export async function storeStep(runId: string, append: Append, setting: Setting): Promise<number> {
  try {
    return await stored(runId, append, setting)
  } catch (error) {
    if (error instanceof FactwireError && error.code === 'run_taken') throw error
    throw new FactwireError('store_failed', `the facts of ${runId} could not be stored`, { cause: error })
  }
}

async function stored(runId: string, append: Append, setting: Setting): Promise<number> {
  const { store, counters } = setting
  const done = await patiently(() => store.append(runId, append), setting)
  switch (done.type) {
    case 'appended':
      return done.revision
    case 'repeated':
      if (await isSame(runId, append, done.first, setting)) return done.revision
      throw new FactwireError('run_taken', `another producer has written to ${runId}`)
    case 'conflict':
    case 'fenced':
      counters.fenced++
      throw taken(runId)
    default:
      return done satisfies never
  }
}

/** A step that tells no fact is the same if nobody has taken the run over. */
async function isSame(
  runId: string,
  { epoch, reserve, step }: Append,
  first: number | undefined,
  setting: Setting,
): Promise<boolean> {
  const own = step.facts[0]?.seq
  if (own !== undefined || first !== undefined) return own === first
  return patiently(() => setting.store.reserve(runId, epoch, reserve), setting)
}

export const taken = (runId: string): FactwireError =>
  new FactwireError('run_taken', `another producer has taken ${runId} over`)
