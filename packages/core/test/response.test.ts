import { extractResponse, parseJson } from '@factwire/core'
import { expect, test } from 'vitest'

test.each<[result: unknown, response: string]>([
  [undefined, ''],
  [null, ''],
  [{ response: 'hi' }, 'hi'],
  [{ response: '' }, ''],
  [{ response: ' x ' }, ' x '],
  [{ response: 'hi', status: 'done' }, 'hi'],
  [{ response: null }, ''],
  [{ response: 7 }, ''],
  [{ response: true }, ''],
  [{ response: ['hi'] }, ''],
  [{ response: { text: 'hi' } }, ''],
  [{ other: 'hi' }, ''],
  [{}, ''],
  ['hi', ''],
  [['hi'], ''],
  [7, ''],
  [true, ''],
])('finds in %j the response %j', (result, response) => {
  expect(extractResponse(result)).toBe(response)
})

test('looks at own properties only', () => {
  expect(extractResponse(Object.create({ response: 'inherited' }))).toBe('')
  expect(extractResponse(parseJson('{"__proto__":{"response":"hi"}}'))).toBe('')
})
