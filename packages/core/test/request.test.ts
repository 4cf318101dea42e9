import { decision, saidIn } from '@factwire/core'
import { expect, test } from 'vitest'

const asked = { tool_use_id: 'c', approval_id: 'a' }
const answered = (text: string, is_error = false): Parameters<typeof saidIn>[0] => ({
  content: [{ type: 'text', text }],
  is_error,
})

test.each([
  ['true', true],
  ['{"approved":true}', true],
  ['{"confirmed":true,"note":"go on"}', true],
  ['{"approved":"true"}', false],
  ['{"approved":true,"accepted":false}', false],
  ['{}', false],
  ['{"error":"no such tool"}', false],
  ['{"denied":true}', false],
  ['{"decision":"deny"}', false],
  ['false', false],
  ['null', false],
  ['[true]', false],
  ['Sure!', false],
  ['', false],
])('a result that says %j is a decision: %j', (text, approved) => {
  expect(decision(asked, saidIn(answered(text)))).toMatchObject({ ...asked, approved })
})

test('a decision keeps what was said, as JSON if it is any', () => {
  expect(decision(asked, saidIn(answered('{"approved":false,"reason":"late"}'))).payload).toEqual({
    approved: false,
    reason: 'late',
  })
  expect(decision(asked, saidIn(answered('later'))).payload).toBe('later')
})

test('a result that is an error is a no, whatever it says', () => {
  expect(decision(asked, saidIn(answered('true', true)))).toEqual({ ...asked, approved: false, payload: true })
})

test('to say nothing but that it is settled is a yes', () => {
  expect(decision({ tool_use_id: 'c' }, { refused: false })).toEqual({ tool_use_id: 'c', approved: true })
})
