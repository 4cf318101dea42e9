import type { Message } from '@factwire/core'
import { expect, test } from 'vitest'
import { sse } from '../src/index.ts'

test('the snapshot of a thread keeps what a user sent without a word, and leaves out who said nothing', () => {
  const picture = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } } as const
  const messages: readonly Message[] = [
    { id: 'u-1', role: 'user', content: [picture] },
    { id: 'u-2', role: 'user', content: [{ type: 'text', text: '' }] },
  ]
  expect(sse.history?.({ messages, standing: { openCalls: [] } })).toEqual([
    { id: 'u-1', role: 'user', content: [picture] },
  ])
})
