import { expect, test } from 'vitest'
import { groups } from '../src/groups/index.ts'
import { options } from '../src/options.ts'

test('without options everything is measured, and nothing is a failure', () => {
  expect(options([])).toEqual({ quick: false, only: [], checked: false, profile: false, seed: 1 })
})

test('groups are named one by one or together', () => {
  expect(options(['--only', 'encode,size', '--only', 'mixed']).only).toEqual(['encode', 'size', 'mixed'])
})

test('a place for the result and a solo are there when they are named', () => {
  expect(options(['--json', 'a.json', '--solo', 'sse/text/write/1'])).toMatchObject({
    json: 'a.json',
    solo: 'sse/text/write/1',
  })
})

test('what is not known is refused, with what there is', () => {
  expect(() => options(['--only', 'speed'])).toThrow(/no group 'speed': there are encode,/)
  expect(() => options(['--seed', 'x'])).toThrow(TypeError)
  expect(() => options(['--fast'])).toThrow(TypeError)
})

test('no two groups have the same name', () => {
  expect(new Set(groups.map(({ name }) => name)).size).toBe(groups.length)
})
