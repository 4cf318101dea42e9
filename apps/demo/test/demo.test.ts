import { expect, test } from 'vitest'
import { type Act, acts } from '../src/acts.ts'
import { demo } from '../src/demo.ts'
import { screen } from '../src/screen.ts'

async function played(list: readonly Act[]): Promise<{ readonly good: boolean; readonly text: string }> {
  let text = ''
  const good = await demo(screen({ write: (piece) => void (text += piece), color: false }), list)
  return { good, text }
}

test('every client ends with what was committed, on rows that fit', async () => {
  const { good, text } = await played(acts)
  expect(good).toBe(true)
  expect(text.match(/^✓ /gm)).toHaveLength(acts.length)
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120)
})

test('an act that ends in another way than it should is no success', async () => {
  const [first, ...others] = acts.map((act) => ({ ...act, ending: 'finished' })).slice(-1)
  expect(others).toEqual([])
  const { good, text } = await played(first ? [first] : [])
  expect(good).toBe(false)
  expect(text).toMatch(/^✗ /m)
})

test('a difference between the two sides is seen', () => {
  let text = ''
  const { comparison } = screen({ write: (piece) => void (text += piece), color: false })
  expect(comparison('text', 'committed', 'seen')).toBe(false)
  expect(comparison('text', 'same', 'same')).toBe(true)
  expect(text).toMatch(/committed +≠ seen\n.*same +=/)
})
