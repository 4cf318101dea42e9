import { expect, test } from 'vitest'
import { sse } from '@factwire/sse'
import { solo } from '../src/solo.ts'

test.for(['write', 'limit', 'read'])('%s runs alone, as often as asked', async (who) => {
  expect(await solo(`sse/arguments/${who}/2`, [sse])).toMatch(
    /^(factwire|limit) sse.*: 2 runs of 500\d events, \d{4,} units$/,
  )
})

test.for(['sse', 'sse/arguments/sing/1', 'sse/prose/write/1', 'ice/arguments/write/1', 'sse/arguments/write/0'])(
  '%s is refused',
  async (asked) => {
    await expect(solo(asked, [sse])).rejects.toThrow(TypeError)
  },
)
