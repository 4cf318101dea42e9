import { expect, test } from 'vitest'
import { type Encodable, none, type Transcoder } from '@factwire/core'
import { sse } from '@factwire/sse'
import { outputOf } from '../src/contender.ts'
import { encoder } from '../src/encoder.ts'
import { limit, templated } from '../src/limit.ts'
import type { Batch } from '../src/outlet.ts'
import { argumentsRun, mixedRun, textRun } from '../src/workload.ts'

/** A wire that numbers nothing and escapes nothing. */
const plain: Encodable<string> = {
  name: 'plain',
  framing: {
    mediaType: 'text/plain',
    headers: {},
    heartbeat: '\n',
    text: (frame) => `${frame}\n`,
    parse: ({ data }) => data,
  },
  resume: 'none',
  transcoder: (): Transcoder<string> => ({
    fact: ({ type }) => [type],
    settled: () => none,
    delta: (delta) => (delta.type === 'text_delta' ? [`+${delta.delta}`] : none),
    close: () => ['closed'],
  }),
}

const wires: readonly Encodable<unknown>[] = [sse, plain]
const batches: readonly Batch[] = ['each', 64, 16_384]

for (const wire of wires) {
  for (const workload of [textRun(300), argumentsRun(300), mixedRun(0.1)]) {
    for (const batch of batches) {
      test(`the limit of ${wire.name} writes what the wire writes: ${workload.name}, batch ${batch}`, async () => {
        const written = await outputOf(encoder(wire, workload, batch))
        expect(written).not.toBe('')
        expect(await outputOf(limit(wire, workload, batch))).toBe(written)
        expect(await outputOf(limit(wire, workload, batch, 'text'))).toBe(written)
      })
    }
  }
}

test('a batch is one piece, and each event its own without', async () => {
  const pieces = async (batch: Batch): Promise<number> => {
    let count = 0
    await encoder(sse, textRun(300), batch).run(() => void count++)
    return count
  }
  expect(await pieces('each')).toBe(300 + 4)
  expect(await pieces(1_000_000)).toBe(1)
})

test('nearly every fragment has a template, unless the wire does not write it as JSON', () => {
  for (const workload of [textRun(300), argumentsRun(300), mixedRun(0.1)]) {
    expect(templated(sse, workload)).toBeGreaterThan(0.9)
  }
  expect(templated(plain, textRun(300))).toBe(0)
})
