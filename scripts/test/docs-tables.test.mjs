import { expect, test } from 'vitest'
import { BEGIN, END, between, diagrams, fidelityTable, rulesTable } from '../docs-tables.mjs'

test('says of each fact what becomes of it', () => {
  const table = fidelityTable({
    run_started: { kept: 'exact' },
    run_failed: { kept: 'lossy', loses: 'its code' },
    continuation: { kept: 'dropped' },
    tool_call: {
      cases: [{ when: 'the client runs it', holds: () => true, fate: { kept: 'exact' } }],
      otherwise: { kept: 'dropped', why: 'a client would run it again' },
    },
  })
  expect(table.split('\n').slice(2)).toEqual([
    '| `run_started` | comes back exactly |',
    '| `run_failed` | loses its code |',
    '| `continuation` | is not carried |',
    '| `tool_call` | when the client runs it: comes back exactly; otherwise: is not carried (a client would run it again) |',
  ])
})

test('says of each rule what a client makes of a breach, and where it stands', () => {
  const rule = { says: 'It starts with a | first.', force: 'rejected', see: 'client.ts: start' }
  const table = rulesTable({ rules: { 'start-first': rule } })
  expect(table.split('\n').at(-1)).toBe(
    '| `start-first` | It starts with a \\| first. | the client gives the stream up | client.ts: start |',
  )
})

test('draws each machine under its name', () => {
  const drawn = diagrams(
    { machines: { run: { initial: 'a' }, call: { initial: 'b' } } },
    ({ initial }) => `to ${initial}`,
  )
  expect(drawn).toBe('## `run`\n\n```mermaid\nto a\n```\n\n## `call`\n\n```mermaid\nto b\n```')
})

test('replaces what stands between the marks, and nothing else', () => {
  const text = `before\n\n${BEGIN}\n\nold\n\n${END}\nafter\n`
  expect(between(text, 'new')).toBe(`before\n\n${BEGIN}\n\nnew\n\n${END}\nafter\n`)
  expect(between(between(text, 'other'), 'old')).toBe(text)
})

test('puts the marks at the end of a text without any', () => {
  expect(between('before\n', 'new')).toBe(`before\n\n${BEGIN}\n\nnew\n\n${END}\n`)
})

test('refuses a text with one mark', () => {
  expect(() => between(`before\n${END}\n`, 'new')).toThrow('one of the two marks is missing')
  expect(() => between(`before\n${BEGIN}\n`, 'new')).toThrow('one of the two marks is missing')
})
