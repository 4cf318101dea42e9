import { expect, test } from 'vitest'
import { go, started } from './world.ts'

test('a run is begun, and answered on the SSE wire', async () => {
  const { post } = await started()
  const response = await post('/v1/runs', go('text', { thread_id: 'thread-1' }))
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  expect(response.headers.get('x-thread-id')).toBe('thread-1')
  const text = await response.text()
  expect(text).toContain('"event_type":"run_start"')
  expect(text).toContain('run_finish')
})
