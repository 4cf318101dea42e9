import { expect, test } from 'vitest'
import { growth, ratios, spread } from '../src/statistics.ts'

test('the median of an odd number of samples is the middle one', () => {
  expect(spread([9, 1, 4])).toEqual({ median: 4, low: 1, high: 9 })
})

test('the median of an even number of samples lies between the two in the middle', () => {
  expect(spread([8, 1, 4, 2])).toEqual({ median: 3, low: 1, high: 8 })
})

test('samples keep their order', () => {
  const samples = [3, 1, 2]
  spread(samples)
  expect(samples).toEqual([3, 1, 2])
})

test('numbers are sorted as numbers', () => {
  expect(spread([100, 20, 3]).median).toBe(20)
})

test('nothing cannot be summed up', () => {
  expect(() => spread([])).toThrow(TypeError)
})

test('a ratio is taken inside its round', () => {
  expect(ratios([10, 40], [5, 10])).toEqual([2, 4])
})

test.for([1, 1.5, 2])('growth finds the exponent %d', (exponent) => {
  const sizes = [4000, 8000, 16_000, 32_000]
  const { last, all } = growth(
    sizes,
    sizes.map((size) => 7 * size ** exponent),
  )
  expect(last).toBeCloseTo(exponent)
  expect(all).toBeCloseTo(exponent)
})

test('a cost that turns quadratic late shows in the last doubling first', () => {
  const { last, all } = growth([1, 2, 4, 8], [1, 2, 4, 16])
  expect(last).toBeCloseTo(2)
  expect(all).toBeGreaterThan(1)
  expect(all).toBeLessThan(2)
})
