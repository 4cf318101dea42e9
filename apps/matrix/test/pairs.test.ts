import { type LiveRun, anyRun, units } from '@factwire/conformance'
import type { AgentEvent } from '@factwire/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { breaches, factsOf, losses, read, write } from './passage.ts'
import { type AnyProtocol, type Reading, protocols, recordings } from './protocols.ts'

const RUNS = 25
const SEED = 20_261_130
/** Each test writes and reads many streams, and the machine may be busy. */
const TIMEOUT = 60_000

const all = await protocols()
const sources = all.flatMap(({ name, framing, decoder, ...rest }) =>
  decoder ? [{ protocol: { name, framing, decoder }, writes: 'transcoder' in rest }] : [],
)
const targets = all.filter(
  (protocol): protocol is AnyProtocol & Reading => 'transcoder' in protocol && 'decoder' in protocol,
)
const pairs = sources.flatMap(({ protocol }) =>
  targets.map((target) => ({ from: protocol.name, to: target.name, source: protocol, target })),
)

const runs: readonly LiveRun[] = fc.sample(anyRun(), { numRuns: RUNS, seed: SEED })

/** Streams of a wire: recorded ones, and generated runs as its own encoder writes them. */
function streamsOf(name: string): readonly { readonly told: string; readonly bytes: Uint8Array }[] {
  const encoder = all.find((protocol): protocol is AnyProtocol => protocol.name === name && 'transcoder' in protocol)
  const generated = encoder
    ? runs.map((run, index) => ({
        told: `run ${index} of seed ${SEED}`,
        bytes: new TextEncoder().encode(write(encoder, units(run, { reasoning: 'text' }).flat())),
      }))
    : []
  return [...recordings(name).map(({ file, bytes }) => ({ told: file, bytes })), ...generated]
}

/** What is wrong with a run that is written on a wire and read again. */
function faultsOf(target: AnyProtocol & Reading, events: readonly AgentEvent[]): readonly string[] {
  const text = write(target, events)
  const broken = breaches(target, text).map(({ rule, frame }) => `frame ${frame} breaks ${rule}`)
  return [...broken, ...losses(target, events, read(target, text))]
}

/** What was shown is taken back, and the wire cannot: then the stream fails, or the run does so for a reason of its own. */
function isHonest(target: AnyProtocol & Reading, events: readonly AgentEvent[]): boolean {
  const takenBack = events.some(({ event }) => event.type === 'stream_reset' || event.type === 'tool_call_cancelled')
  const end = read(target, write(target, events)).at(-1)?.event
  if (!takenBack || end?.type !== 'run_failed') return false
  return end.code === 'stream_reconciliation_failed' || events.at(-1)?.event.type === 'run_failed'
}

test('finds the protocols by their folders', () => {
  expect(targets.length).toBeGreaterThanOrEqual(3)
  expect(pairs).toHaveLength(sources.length * targets.length)
  for (const { name } of targets) expect(streamsOf(name).length).toBeGreaterThanOrEqual(RUNS)
})

test.each(pairs)(
  'facts read from $from arrive by $to',
  ({ source, target }) => {
    for (const { told, bytes } of streamsOf(source.name)) {
      expect({ told, faults: faultsOf(target, factsOf(read(source, bytes))) }).toEqual({ told, faults: [] })
    }
  },
  TIMEOUT,
)

test.each(pairs)(
  'whatever is read from $from arrives by $to, or fails honestly',
  ({ source, target }) => {
    for (const { told, bytes } of streamsOf(source.name)) {
      const events = read(source, bytes)
      const faults = isHonest(target, events) ? [] : faultsOf(target, events)
      expect({ told, faults }).toEqual({ told, faults: [] })
    }
  },
  TIMEOUT,
)

test.each(pairs)(
  'a stream of $from that was cut stays a failure on $to',
  ({ source, target }) => {
    for (const { told, bytes } of streamsOf(source.name)) {
      for (const part of [0, 0.2, 0.4, 0.6, 0.8, 0.95]) {
        const events = read(source, bytes.subarray(0, Math.floor(bytes.length * part)))
        // A cut behind the end cuts nothing.
        if (events.at(-1)?.event.type !== 'run_failed') continue
        const text = write(target, events)
        expect({ told, part, end: read(target, text).at(-1)?.event.type }).toEqual({ told, part, end: 'run_failed' })
        expect({ told, part, breaches: breaches(target, text) }).toEqual({ told, part, breaches: [] })
      }
    }
  },
  TIMEOUT,
)
