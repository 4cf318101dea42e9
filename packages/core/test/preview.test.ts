import { expect, test } from 'vitest'
import type { ToolCallFact } from '../src/event.ts'
import { createPreview } from '../src/preview.ts'
import { unhold } from '../src/preview-item.ts'

const text = (delta: string, message_id?: string, offset?: number) => ({
  type: 'text_delta' as const,
  delta,
  ...(message_id === undefined ? {} : { message_id }),
  ...(offset === undefined ? {} : { offset }),
})
const args = (id: string, args_delta: string, message_id?: string, offset?: number) => ({
  type: 'tool_call_delta' as const,
  id,
  name: 'search',
  args_delta,
  ...(message_id === undefined ? {} : { message_id }),
  ...(offset === undefined ? {} : { offset }),
})
const said = (id: string, words: string) => ({
  type: 'assistant_message' as const,
  id,
  content: [{ type: 'text' as const, text: words }],
})
const called = (id: string, message_id?: string): ToolCallFact => ({
  type: 'tool_call',
  id,
  name: 'search',
  input: {},
  disposition: 'executed',
  ...(message_id === undefined ? {} : { message_id }),
})

test('a fragment that was there before is not shown again', () => {
  const preview = createPreview()
  expect(preview.text(text('Hel', 'm', 0))).toBe('Hel')
  expect(preview.text(text('Hel', 'm', 0))).toBe('')
  expect(preview.text(text('ello', 'm', 1))).toBe('lo')
})

test('nothing is shown behind a hole until the missing piece fills it', () => {
  const preview = createPreview()
  expect(preview.text(text('Hel', 'm', 0))).toBe('Hel')
  expect(preview.text(text('wor', 'm', 6))).toBe('')
  expect(preview.text(text('ld', 'm', 9))).toBe('')
  expect(preview.text(text('lo ', 'm', 3))).toBe('lo world')
  expect(preview.text(text('!', 'm', 11))).toBe('!')
})

test('a hole in one call does not stop another', () => {
  const preview = createPreview()
  preview.call(args('a', '', 'm', 0))
  preview.call(args('a', 'late', 'm', 5))
  expect(preview.fragment()).toBe('')
  preview.call(args('b', '{}', 'm', 0))
  expect(preview.fragment()).toBe('{}')
})

test('without offsets every fragment counts', () => {
  const preview = createPreview()
  expect(preview.text(text('ha'))).toBe('ha')
  expect(preview.text(text('ha'))).toBe('ha')
})

test('a later message waits for the results of the step before', () => {
  const preview = createPreview()
  preview.text(text('one', 'm1', 0))
  expect(preview.text(text('two', 'm2', 0))).toBe('')
  preview.claim(said('m1', 'one'))
  preview.settle(preview.claim(called('c', 'm1')), called('c', 'm1'))
  preview.finish()
  expect(preview.release()).toBeUndefined()
  preview.result('c')
  const next = preview.release()
  expect(next?.id).toBe('m2')
  expect(next && unhold(next.text)).toBe('two')
  expect(preview.text(text('!', 'm2', 3))).toBe('!')
})

test('a fragment of a message that is committed opens nothing', () => {
  const preview = createPreview()
  preview.text(text('one', 'm1', 0))
  preview.claim(said('m1', 'one'))
  preview.finish()
  expect(preview.text(text('one', 'm1', 0))).toBe('')
  expect(preview.displaced()).toBe(false)
})

test('a step that only announced an id takes the id of the first fact', () => {
  const preview = createPreview()
  const turn = preview.step({ type: 'step_started', message_id: 'step-7' })
  preview.text(text('Hi'))
  expect(preview.claim(said('m1', 'Hi there'))).toBe(turn)
  expect(turn?.id).toBe('m1')
  expect(turn?.text.shown).toEqual(['Hi'])
})

test('a message that is committed before the one on show displaces it', () => {
  const preview = createPreview()
  preview.text(text('two', 'm2', 0))
  preview.claim(said('m1', 'one'))
  expect(preview.displaced()).toBe(true)
  preview.withdraw()
  expect(preview.displaced()).toBe(false)
  preview.finish()
  const next = preview.release()
  expect(next && unhold(next.text)).toBe('two')
})

test('a call whose id the client has met is not previewed, and gets an id of its own with its fact', () => {
  const preview = createPreview()
  preview.settle(preview.claim(called('c', 'm1')), called('c', 'm1'))
  preview.finish()
  preview.result('c')
  expect(preview.call(args('c', '{', 'm2', 0))).toBeUndefined()
  expect(preview.settle(preview.claim(called('c', 'm2')), called('c', 'm2')).call.wireId).toBe('c-2')
})

test('results of one id pair with its calls in order', () => {
  const preview = createPreview()
  const turn = preview.claim(called('c', 'm1'))
  preview.settle(turn, called('c', 'm1'))
  preview.settle(turn, called('c', 'm1'))
  preview.finish()
  expect(preview.result('c')?.wireId).toBe('c')
  expect(preview.result('c')?.wireId).toBe('c-2')
  expect(preview.result('c')).toBeUndefined()
})

test('calls that are committed in another order than they were shown are told', () => {
  const preview = createPreview()
  for (const id of ['a', 'b']) {
    const call = preview.call(args(id, '', 'm', 0))
    if (call) preview.announce(preview.turn(), call)
  }
  const turn = preview.claim(called('b', 'm'))
  expect(preview.settle(turn, called('b', 'm')).inOrder).toBe(false)
})

test('a cancelled call is forgotten, and its late fragments with it', () => {
  const preview = createPreview()
  const call = preview.call(args('a', '{', 'm', 0))
  if (call) preview.announce(preview.turn(), call)
  expect(preview.cancel('a')).toBe(call)
  expect(preview.call(args('a', '}', 'm', 1))).toBeUndefined()
  expect(preview.cancel('a')).toBeUndefined()
  expect(preview.cancel('never')).toBeUndefined()
})

test('a reset says whether anything had been shown, and late fragments of the attempt are ignored', () => {
  const preview = createPreview()
  expect(preview.reset()).toBeUndefined()
  preview.step({ type: 'step_started', message_id: 'm' })
  expect(preview.reset()).toBeUndefined()
  preview.text(text('x', 'm1', 0))
  expect(preview.reset()?.text.shown).toEqual(['x'])
  expect(preview.text(text('x', 'm1', 0))).toBe('')
  expect(preview.text(text('y', 'm1-retry', 0))).toBe('y')
})

test('where nothing is taken back, a new attempt is shown from where it passes the one before', () => {
  const preview = createPreview()
  preview.text(text('Hello wor', 'm', 0))
  preview.repeat()
  expect(preview.text(text('Hello', 'm-retry', 0))).toBe('')
  expect(preview.text(text(' world', 'm-retry', 5))).toBe('ld')
  expect(preview.text(text('!', 'm-retry', 11))).toBe('!')
  expect(preview.text(text('Hello', 'm', 0))).toBe('')
})

test('a new attempt that begins with its step goes on with the one before', () => {
  const preview = createPreview({ takesBack: false })
  preview.step({ type: 'step_started', message_id: 'm' })
  preview.text(text('Hello wor', 'm', 0))
  preview.call(args('c', '{', 'm', 0))
  preview.repeat()
  preview.step({ type: 'step_started', message_id: 'm-retry' })
  expect(preview.text(text('Hello world', 'm-retry', 0))).toBe('ld')
  expect(preview.live()).toHaveLength(1)
  expect(preview.claim(said('m-retry', 'Hello world')).text.shown.join('')).toBe('Hello world')
  expect(preview.displaced()).toBe(false)
})

test('a new attempt that says something else is not shown at all', () => {
  const preview = createPreview()
  preview.text(text('Hello'))
  preview.repeat()
  expect(preview.text(text('Help'))).toBe('')
  expect(preview.text(text(' me, please'))).toBe('')
  expect(preview.claim(said('m', 'Help me, please')).text.shown.join('')).toBe('Hello')
})

test('a held call whose id was taken meanwhile is left out, and holds nothing back', () => {
  const preview = createPreview()
  preview.text(text('first', 'm1', 0))
  preview.text(text('second', 'm2', 0))
  preview.call(args('c', '{}', 'm2', 0))
  preview.claim(said('m1', 'first'))
  preview.settle(preview.claim(called('c', 'm1')), called('c', 'm1'))
  preview.finish()
  preview.result('c')
  const turn = preview.release()
  expect(turn && unhold(turn.text)).toBe('second')
  expect(preview.release()).toBeUndefined()
})

test('a message of which something is live is no part of the one before', () => {
  const preview = createPreview()
  preview.step({ type: 'step_started', message_id: 'm1' })
  preview.text(text('two', 'm2', 0))
  preview.step({ type: 'step_started', message_id: 'm3' })
  const thinking = { type: 'assistant_thinking' as const, text: 'hm', message_id: 'm1' }
  expect(preview.claim(thinking).id).toBe('m1')
  expect(preview.continues(said('m2', 'two'))).toBe(false)
  expect(preview.continues(said('m1', 'one'))).toBe(true)
})

test('a message that others overtook twice will not come, and blocks nothing', () => {
  const preview = createPreview()
  preview.text(text('gone', 'm1', 0))
  for (const id of ['m2', 'm3']) {
    preview.claim(said(id, 'said'))
    expect(preview.displaced()).toBe(true)
    preview.withdraw()
    preview.finish()
    const turn = preview.release()
    if (turn) unhold(turn.text)
  }
  expect(preview.live()).toEqual([])
  expect(preview.text(text('next', 'm4', 0))).toBe('next')
})

test('a step of an earlier run that ends takes no live message with it', () => {
  const preview = createPreview({ messageIds: ['m0'] })
  expect(preview.text(text('Hi'))).toBe('Hi')
  expect(preview.claimEmpty('m0')).toBeUndefined()
  expect(preview.text(text('late', 'm0', 0))).toBe('')
})

/** A second message goes on with a call that has the id of an earlier one, and then with more. */
function afterACallWithAKnownId(takesBack: boolean): readonly string[] {
  const preview = createPreview({ takesBack, callIds: ['a'] })
  const shown = [preview.text(text('One', 'm', 0))]
  preview.call(args('a', '{}', 'm', 0))
  shown.push(preview.fragment(), preview.text(text(' two', 'm', 3)))
  preview.call(args('b', '{}', 'm', 0))
  shown.push(preview.fragment())
  return shown
}

test('what comes after a call whose id the client knows is held until its fact, where nothing is taken back', () => {
  expect(afterACallWithAKnownId(false)).toEqual(['One', '', '', ''])
  expect(afterACallWithAKnownId(true)).toEqual(['One', '', ' two', '{}'])
})

test('what was held behind such a call is settled with the facts, in their order', () => {
  const preview = createPreview({ takesBack: false, callIds: ['a'] })
  preview.text(text('One', 'm', 0))
  preview.call(args('a', '{}', 'm', 0))
  preview.text(text(' two', 'm', 3))
  const turn = preview.claim(said('m', 'One two'))
  expect(turn.text.shown.join('')).toBe('One')
  preview.claim(called('a', 'm'))
  expect(preview.settle(turn, called('a', 'm'))).toMatchObject({ inOrder: true, call: { announced: false } })
})

test('a message behind one that is held is shown once that one is over', () => {
  const preview = createPreview({ takesBack: false, callIds: ['a'] })
  preview.call(args('a', '{}', 'm', 0))
  expect(preview.text(text('Next', 'n', 0))).toBe('')
  const turn = preview.claim(called('a', 'm'))
  preview.settle(turn, called('a', 'm'))
  preview.finish()
  preview.forget(turn)
  preview.result('a')
  expect(preview.release()?.text.held).toBe('Next')
})
