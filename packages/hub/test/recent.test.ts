import { expect, test, vi } from 'vitest'
import { defaultLimits } from '../src/limits.ts'
import { memoryStore } from '../src/index.ts'
import { recentFacts } from '../src/recent.ts'

test('a read of the store that fails when nobody waits for it any more is nobody’s business', async () => {
  const heard = vi.fn<(reason: unknown) => void>()
  process.on('unhandledRejection', heard)
  const store = { ...memoryStore(), facts: () => Promise.reject(new Error('the disk is gone')) }
  const recent = recentFacts('run', { store, limits: { ...defaultLimits, recentFacts: 1 } })
  for (let seq = 0; seq < 4; seq++) recent.add([{ seq, fact: { type: 'run_started' } }])
  const reading = recent.after(-1, 3)
  expect(reading).toBeInstanceOf(Promise)
  await new Promise((resolve) => void setImmediate(resolve))
  expect(heard).not.toHaveBeenCalled()
  await expect(reading).rejects.toThrow('the disk is gone')
  process.off('unhandledRejection', heard)
})
