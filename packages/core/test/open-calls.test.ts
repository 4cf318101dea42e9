import { expect, test } from 'vitest'
import { createOpenCalls } from '../src/open-calls.ts'
import { openSteps } from '../src/open-steps.ts'
import type { OpenCall } from '../src/thread.ts'

const call = (id: string, message_id = 'm'): OpenCall => ({ id, name: 'f', message_id })

test('open calls keep their order, and of twins the earliest is answered first', () => {
  const open = createOpenCalls()
  expect(open.any()).toBe(false)
  open.add([call('a'), call('b'), call('a', 'n')])
  expect(open.find('a')?.message_id).toBe('m')
  expect(open.answer('a')?.message_id).toBe('m')
  expect(open.find('a')?.message_id).toBe('n')
  expect(open.all().map(({ id, message_id }) => id + message_id)).toEqual(['bm', 'an'])
  expect(open.answer('a')?.message_id).toBe('n')
  expect(open.answer('a')).toBeUndefined()
  expect(open.answer('b')).toBeDefined()
  expect(open.any()).toBe(false)
})

test('a step ends with the last of its calls, and is told once', () => {
  const steps = openSteps([call('a'), call('b')])
  expect(steps.ended()).toEqual([])
  expect(steps.answer('b')).toEqual(call('b'))
  expect(steps.ended()).toEqual([])
  expect(steps.answer('x')).toBeUndefined()
  expect(steps.answer('a')).toEqual(call('a'))
  expect(steps.ended()).toEqual(['m'])
  expect(steps.ended()).toEqual([])
  expect(steps.calls()).toEqual([])
})

test('steps that end together end in their order, whichever was answered first', () => {
  const steps = openSteps([call('a', 'one'), call('b', 'two')])
  steps.begin('three', [])
  steps.answer('b')
  steps.answer('a')
  expect(steps.ended()).toEqual(['one', 'two', 'three'])
})

test('a result costs the same however many calls of its step are open', () => {
  const many = Array.from({ length: 20_000 }, (_, index) => call(`call-${index}`))
  const open = createOpenCalls()
  open.add(many)
  const begin = performance.now()
  for (const { id } of many) open.answer(id)
  // Looking at all of them each time takes seconds.
  expect(performance.now() - begin).toBeLessThan(1000)
})
