import { expect, test } from 'vitest'
import { random, shuffled } from '../src/random.ts'

test('the same seed gives the same numbers', () => {
  const [one, other] = [random(5), random(5)]
  const numbers = Array.from({ length: 8 }, () => one(1000))
  expect(Array.from({ length: 8 }, () => other(1000))).toEqual(numbers)
  expect(new Set(numbers).size).toBeGreaterThan(4)
})

test('numbers stay below their bound and reach all of it', () => {
  const next = random(1)
  const seen = new Set(Array.from({ length: 1000 }, () => next(8)))
  expect(seen).toEqual(new Set([0, 1, 2, 3, 4, 5, 6, 7]))
})

test('shuffling keeps every item and leaves the list alone', () => {
  const items = [1, 2, 3, 4, 5, 6, 7, 8]
  const order = shuffled(items, random(3))
  expect(order).not.toEqual(items)
  expect(new Set(order)).toEqual(new Set(items))
  expect(items).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
})
