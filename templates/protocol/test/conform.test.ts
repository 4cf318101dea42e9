import { readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  type LiveRun,
  type Seen,
  type Subject,
  conform,
  decodeChunks,
  joinAt,
  outcomeOf,
  readMessages,
  sabotage,
  torture,
} from '@factwire/conformance'
import { type RunContext, checkGrammar } from '@factwire/core'
import { expect, test } from 'vitest'
import { grammar, newWire } from '../src/index.ts'
import type { Frame } from '../src/wire.ts'
import { clientView } from './client.ts'
import { speaker } from './speaker.ts'

const subject: Subject<Frame, undefined> = {
  protocol: newWire,
  view: clientView,
  // Of what is not committed yet this wire shows the text alone.
  glimpse: { shows: ['text'], read: (body) => ({ text: clientView(body).turns.at(-1)?.text ?? '' }) },
  context: contextOf,
  shows,
}

conform(subject)
sabotage(subject)
torture({ name: newWire.name, speaker, decode: (chunks) => outcomeOf(decodeChunks(newWire, chunks)) })

/** A server knows the thread that a run goes on with. */
function contextOf({ run }: LiveRun, first?: LiveRun): RunContext {
  return first ? { ...run, history: joinAt(first, first.script.length).committed.messages } : run
}

/** The part of the truth that this wire has a place for. */
function shows({ status, code, turns, waitingFor }: Seen): Seen {
  return {
    status,
    ...(code === undefined ? {} : { code }),
    ...(waitingFor === undefined ? {} : { waitingFor }),
    turns: turns.map(({ id, text, calls }) => ({
      ...(id === undefined ? {} : { id }),
      text,
      calls: calls.map(({ result, ...call }) => ({
        ...call,
        ...(result ? { result: { text: result.text, ...(result.is_error ? { is_error: true } : {}) } } : {}),
      })),
    })),
  }
}

const golden = fileURLToPath(new URL('../golden/', import.meta.url))
const recorded = readdirSync(golden).filter((file) => file.endsWith('.wire'))

test.each(recorded)('reads the recorded stream %s as the events beside it', async (file) => {
  const events = decodeChunks(newWire, [readFileSync(golden + file)])
  const lines = events.map((event) => `${JSON.stringify(event)}\n`).join('')
  await expect(lines).toMatchFileSnapshot(golden + file.replace(/wire$/, 'events.jsonl'))
})

test.each(recorded)('the recorded stream %s breaks no rule of the grammar', (file) => {
  const check = checkGrammar(grammar)
  const frames = readMessages([readFileSync(golden + file)]).flatMap((message) => newWire.framing.parse(message) ?? [])
  expect([...frames.flatMap((frame) => check.push(frame)), ...check.end()]).toEqual([])
})
