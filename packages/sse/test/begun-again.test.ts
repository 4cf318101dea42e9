import { expect, test } from 'vitest'
import { reduce } from '../src/reduce.ts'
import type { FlatEvent } from '../src/wire.ts'

const START: FlatEvent = { event_type: 'run_start', thread_id: 't', run_id: 'r' }
const STEP: FlatEvent = { event_type: 'step_start', message_id: 'm' }

test('a reset takes back the encrypted thought as well', () => {
  const { turns } = reduce([
    START,
    STEP,
    { event_type: 'reasoning_encrypted_value', encrypted_value: 'x' },
    { event_type: 'text_delta', delta: 'a' },
    { event_type: 'stream_reset', reason: 'again' },
    { event_type: 'text_delta', delta: 'b' },
  ])
  expect(turns).toMatchObject([{ id: 'm', text: 'b' }])
  expect(turns[0]?.encryptedReasoning).toBeUndefined()
})

test('the call that is made has the name under which it is made', () => {
  const { turns } = reduce([
    START,
    STEP,
    { event_type: 'tool_call_start', id: 'c1', name: 'ls' },
    { event_type: 'tool_call_ready', id: 'c1', name: 'rm', arguments: {} },
  ])
  expect(turns[0]?.calls).toMatchObject([{ id: 'c1', name: 'rm' }])
})

test('a run that begins has no end, result, answer or error from the one before', () => {
  const failed: FlatEvent = {
    event_type: 'run_finish',
    thread_id: 't',
    run_id: 'r',
    result: { response: 'no', status: 'done', status_reason: 'error', code: 'x' },
    termination: { type: 'error', value: 'broken' },
  }
  const view = reduce([START, failed, { ...START, run_id: 'r2' }])
  expect(view).toMatchObject({ run: { runId: 'r2' }, status: 'running', response: '' })
  expect([view.result, view.termination, view.error]).toEqual([undefined, undefined, undefined])
})
