import { decision, saidIn, yesOrNo } from '@factwire/core'
import { expect, test } from 'vitest'

const asked = { tool_use_id: 'c', approval_id: 'a' }
const answered = (text: string, is_error = false): Parameters<typeof saidIn>[0] => ({
  content: [{ type: 'text', text }],
  is_error,
})

test.each([
  ['true', true],
  ['yes', true],
  ['Yes', true],
  [' APPROVE\n', true],
  ['approved', true],
  ['"yes"', true],
  ['{"approved":true}', true],
  ['{"approve":true}', true],
  ['{"confirmed":true,"note":"go on"}', true],
  ['{"approved":true,"denied":false}', true],
  ['{"approved":"true"}', false],
  ['{"approved":null}', false],
  ['{"approve":false}', false],
  ['{"approved":true,"accepted":false}', false],
  ['{"approved":true,"denied":true}', false],
  ['{"denied":true}', false],
  ['false', false],
  ['no', false],
  ['Denied', false],
  ['{}', undefined],
  ['{"error":"no such tool"}', undefined],
  ['{"decision":"deny"}', undefined],
  ['{"answer":"no"}', undefined],
  ['{"__proto__":{"approved":true}}', undefined],
  ['null', undefined],
  ['1', undefined],
  ['[true]', undefined],
  ['["yes"]', undefined],
  ['Sure!', undefined],
  ['yes, but not now', undefined],
  ['', undefined],
])('%j is a yes or a no, wherever it is said: %j', (text, meant) => {
  const said = saidIn(answered(text))
  const { payload = null } = said
  expect(yesOrNo(payload)).toBe(meant)
  expect(decision(asked, said)).toMatchObject({ ...asked, approved: meant === true })
  expect(decision(asked, { refused: false, payload }).approved).toBe(meant === true)
  expect(decision(asked, { refused: true, payload }).approved).toBe(false)
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
