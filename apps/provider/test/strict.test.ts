import { expect, test } from 'vitest'
import { type AskedMessage, objection } from '../src/index.ts'

const user: AskedMessage = { role: 'user', content: 'Go.' }
const call = (id: string, args = '{}', name = 'look_up'): AskedMessage => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, function: { name, arguments: args } }],
})
const result = (tool_call_id: string): AskedMessage => ({ role: 'tool', tool_call_id, content: 'fine' })

const fault = (...messages: AskedMessage[]): string | undefined => objection({ stream: true, messages })

test('a conversation in turns is taken', () => {
  const system = { role: 'system', content: 'Be brief.' }
  expect(fault(system, user, call('a'), result('a'), { role: 'assistant', content: 'Done.' }, user)).toBeUndefined()
})

test('results may come in any order', () => {
  const both = {
    role: 'assistant',
    content: 'x',
    tool_calls: [...(call('a').tool_calls ?? []), ...(call('b').tool_calls ?? [])],
  }
  expect(fault(user, both, result('b'), result('a'))).toBeUndefined()
})

test.each<[string, readonly AskedMessage[]]>([
  ['messages is empty', []],
  ['messages[1]: two messages of the user in a row', [user, user]],
  [
    'messages[2]: two messages of the assistant in a row',
    [user, { role: 'assistant', content: 'a' }, { role: 'assistant', content: 'b' }, user],
  ],
  ['messages[1]: a system message stands first', [user, { role: 'system', content: 'x' }]],
  ['messages[1]: the assistant says nothing', [user, { role: 'assistant', content: '' }, user]],
  ['messages[0]: the user says nothing', [{ role: 'user', content: '' }]],
  ['the last message is of the assistant', [user, { role: 'assistant', content: 'a' }]],
  ['no result for the calls a', [user, call('a')]],
  ['messages[2]: no result for the calls a', [user, call('a'), user]],
  ['messages[1]: a result for a, which is not open', [user, result('a')]],
  ['messages[3]: a result for a, which is not open', [user, call('a'), result('a'), result('a')]],
  ['messages[3]: the call a a second time', [user, call('a'), result('a'), call('a'), result('a')]],
  ['messages[1]: a call without an id', [user, call('')]],
  ['messages[1]: the arguments of a are not JSON', [user, call('a', '{')]],
  ['messages[1]: a is called with no object', [user, call('a', '[]')]],
  ['messages[1]: the name of a', [user, call('a', '{}', 'look up')]],
  ['messages[0]: the role critic', [{ role: 'critic', content: 'x' }]],
])('%s', (told, messages) => {
  expect(fault(...messages)).toBe(told)
})
