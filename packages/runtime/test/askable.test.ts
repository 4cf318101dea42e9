import type { ContentBlock, Message, Role } from '@factwire/core'
import { history } from '@factwire/openai-chat'
import { objection } from '@factwire/provider'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { askable } from '../src/index.ts'
import { outline, said } from './agent.ts'

const message = (role: Role, ...content: ContentBlock[]): Message => ({
  id: `${role}-${content.length}`,
  role,
  content,
})
const text = (value: string): ContentBlock => ({ type: 'text', text: value })
const call = (id: string, input: object | null = {}, raw_input?: string, name = 'look_up'): ContentBlock => ({
  type: 'tool_use',
  id,
  name,
  input: input as null,
  ...(raw_input === undefined ? {} : { raw_input }),
})
const result = (id: string, value = `of ${id}`): ContentBlock => ({
  type: 'tool_result',
  tool_use_id: id,
  content: [{ type: 'text', text: value }],
  is_error: false,
})

const told = (...messages: Message[]): readonly string[] => outline(askable(messages))

test('a thread that is well formed stays as it is', () => {
  const thread = [message('system', text('Be brief.')), said('Go.'), message('assistant', text('Done.')), said('And?')]
  expect(askable(thread)).toEqual(thread)
})

test('a call without a result gets one that says so', () => {
  expect(told(message('assistant', call('a')), said('And?'))).toEqual([
    'calls a look_up {}',
    'a failed: No result: it is not known what became of the call.',
    'user: And?',
  ])
})

test('results stand behind their calls, whatever was said meanwhile', () => {
  expect(
    told(message('assistant', call('a'), call('b')), said('Faster.'), message('tool', result('b'), result('a'))),
  ).toEqual(['calls a look_up {}', 'calls b look_up {}', 'a: of a', 'b: of b', 'user: Faster.'])
})

test('a result that belongs to no call, and a second one, are left out', () => {
  expect(
    told(
      said('Go.'),
      message('tool', result('x')),
      message('assistant', call('a')),
      message('tool', result('a'), result('a', 'again')),
    ),
  ).toEqual(['user: Go.', 'calls a look_up {}', 'a: of a'])
})

test('what the user said twice is one message, and so is what the assistant said', () => {
  expect(
    told(said('One.'), said('Two.'), message('assistant', text('A')), message('assistant', text('B')), said('?')),
  ).toEqual(['user: One.', 'user: \n\n', 'user: Two.', 'assistant: A', 'assistant: \n\n', 'assistant: B', 'user: ?'])
})

test('arguments that are no object are none, and stay in the thread', () => {
  const thread = [said('Go.'), message('assistant', call('a', null, '{"ci')), message('tool', result('a'))]
  expect(outline(askable(thread))[1]).toBe('calls a look_up {}')
  expect(outline(thread)[1]).toBe('calls a look_up {"ci')
})

test.each([
  ['my tool!', 'my_tool_'],
  ['functions.look_up', 'functions_look_up'],
  ['x'.repeat(200), 'x'.repeat(64)],
  ['search 🌍', 'search___'],
  ['', '_'],
])('a call of %j, which there is not, goes to a provider as one of %s', (name, asked) => {
  const thread = [said('Go.'), message('assistant', call('a', {}, undefined, name)), message('tool', result('a'))]
  expect(outline(askable(thread))[1]).toBe(`calls a ${asked} {}`)
  expect(outline(thread)[1]).toBe(`calls a ${name} {}`)
})

test('a tool that the provider is told of keeps its name', () => {
  const called = message('assistant', call('a', {}, undefined, 'files.list'))
  const thread = [said('Go.'), called, message('tool', result('a'))]
  expect(askable(thread, new Set(['files.list']))[1]).toEqual(called)
})

test('an assistant that has the last word is asked to go on', () => {
  expect(told(said('Go.'), message('assistant', text('Once')))).toEqual([
    'user: Go.',
    'assistant: Once',
    'user: Go on.',
  ])
})

test('messages that say nothing are left out', () => {
  expect(
    told(said('Go.'), message('assistant', { type: 'thinking', text: 'hm' }), message('user', text('')), said('?')),
  ).toEqual(['user: Go.', 'user: \n\n', 'user: ?'])
})

const anyBlocks = fc.array(
  fc.oneof(
    fc.constantFrom('', 'a', ' ').map(text),
    fc
      .tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom({}, null), fc.string())
      .map(([id, input, name]) => call(id, input, input ? undefined : '{', name)),
  ),
  { maxLength: 3 },
)
const anyMessage: fc.Arbitrary<Message> = fc.oneof(
  anyBlocks.map((content) => message('assistant', ...content)),
  fc.constantFrom('', 'go').map((value) => message('user', text(value))),
  fc
    .array(
      fc.constantFrom('a', 'b', 'c', 'x').map((id) => result(id)),
      { maxLength: 3 },
    )
    .map((content) => message('tool', ...content)),
)

/** Ids that repeat are the writer's to mend: a thread of it has none. */
const distinct = (messages: readonly Message[]): readonly Message[] => {
  const used = new Set<string>()
  return messages.map((each) => ({
    ...each,
    content: each.content.filter((block) => block.type !== 'tool_use' || (!used.has(block.id) && used.add(block.id))),
  }))
}

test('whatever the thread, any provider takes it', () => {
  fc.assert(
    fc.property(fc.array(anyMessage, { maxLength: 8 }), (messages) => {
      const thread = [said('Go.'), ...distinct(messages)]
      expect(objection({ stream: true, messages: history({ messages: askable(thread) }) })).toBeUndefined()
    }),
    { seed: 20_261_130, numRuns: 500 },
  )
})
