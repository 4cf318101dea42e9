import { expect, test } from 'vitest'
import { type Act, acts } from '../src/acts.ts'
import { demo } from '../src/demo.ts'
import { screen } from '../src/screen.ts'
import { wires } from '../src/wires.ts'

async function played(list: readonly Act[]): Promise<{ readonly good: boolean; readonly text: string }> {
  let text = ''
  const good = await demo(screen({ write: (piece) => void (text += piece), color: false }), list)
  return { good, text }
}

test('every client ends with what was committed, on rows that fit', async () => {
  const { good, text } = await played(acts)
  expect(good).toBe(true)
  expect(text.match(/^✓ /gm)).toHaveLength(acts.length)
  expect(text.match(/^warnings 0( += 0){3}$/gm)).toHaveLength(acts.length)
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100)
  for (const { client, name } of wires) {
    expect(text).toContain(client)
    expect(text).toContain(`│ ${name}`)
  }
})

test('a run that breaks is told by the failure that each client has for it', async () => {
  const { text } = await played(acts.slice(2, 3))
  expect(text).toMatch(/^told by +run_finish error +RUN_ERROR +throws APIError$/m)
})

test('what the agent takes back is with no client, and what its tool gave is', async () => {
  const { good, text } = await played(acts.slice(3))
  expect(good).toBe(true)
  expect(text).toMatch(/^delta stream_reset .*│ stream_reset/m)
  expect(text).toMatch(/^call_a-2 +look_up .+( = look_up .+){2}–$/m)
  expect(text).not.toMatch(/^call_a /m)
})

test('an act that ends in another way than it should is no success', async () => {
  const { good, text } = await played(acts.slice(2, 3).map((act) => ({ ...act, ending: 'finished' })))
  expect(good).toBe(false)
  expect(text).toMatch(/^✗ The run ended as "failed: stream_failed", not "finished"/m)
})

test('a difference between the two sides is seen', () => {
  let text = ''
  const { table } = screen({ write: (piece) => void (text += piece), color: false })
  table(['A', 'B', 'C'], [{ what: 'text', committed: 'this', seen: ['this', 'that', undefined] }], ['', '', ''])
  expect(text).toMatch(/^text +this += this +≠ that +–$/m)
})
