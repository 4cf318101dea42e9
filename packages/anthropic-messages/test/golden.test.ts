import { readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { decodeChunks, readMessages } from '@factwire/conformance'
import { checkGrammar } from '@factwire/core'
import { expect, test } from 'vitest'
import { anthropicMessages, framing, grammar } from '../src/index.ts'

const golden = fileURLToPath(new URL('../golden/', import.meta.url))
const recorded = readdirSync(golden).filter((file) => file.endsWith('.wire'))

test.each(recorded)('reads the recorded stream %s as the events beside it', async (file) => {
  const events = decodeChunks(anthropicMessages, [readFileSync(golden + file)])
  const lines = events.map((event) => `${JSON.stringify(event)}\n`).join('')
  await expect(lines).toMatchFileSnapshot(golden + file.replace(/wire$/, 'events.jsonl'))
})

test.each(recorded)('the recorded stream %s breaks no rule of the grammar', (file) => {
  const check = checkGrammar(grammar)
  const frames = readMessages([readFileSync(golden + file)]).flatMap((message) => framing.parse(message) ?? [])
  expect([...frames.flatMap((frame) => check.push(frame)), ...check.end()]).toEqual([])
})
