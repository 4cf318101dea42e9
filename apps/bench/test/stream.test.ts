import { expect, test } from 'vitest'
import { sse } from '@factwire/sse'
import { check, outputOf } from '../src/contender.ts'
import { decoder, reducer, words } from '../src/decoder.ts'
import { providerArguments, providerText } from '../src/provider.ts'
import { spoken } from '../src/shown.ts'
import { bodyOf, dataOf, splitAndParse, type Stream, streamOf } from '../src/stream.ts'
import { mixedRun, textRun } from '../src/workload.ts'

const bytesOf = ({ pieces }: Stream): string => Buffer.concat(pieces).toString()

test('the limit of reading finds every message that a reader finds, across pieces', async () => {
  for (const stream of [streamOf(sse, textRun(3000)), streamOf(sse, mixedRun(0.2))]) {
    expect(stream.pieces.length).toBeGreaterThan(2)
    expect(await outputOf(splitAndParse(stream))).toBe(dataOf(bytesOf(stream)).join(''))
  }
})

test('the decoder and the fold of the SSE wire show what a run says', async () => {
  for (const workload of [textRun(3000), mixedRun(0.2)]) {
    const stream = streamOf(sse, workload)
    expect(stream.text).not.toBe('')
    await check([
      { name: 'the run', run: (take) => take(stream.text), shows: words },
      decoder(sse, stream),
      reducer(stream),
    ])
  }
})

test('a body gives the pieces and ends', async () => {
  const stream = streamOf(sse, textRun(3000))
  expect(await new Response(bodyOf(stream)).text()).toBe(bytesOf(stream))
})

test('a provider streams its fragments, and ends', () => {
  const text = bytesOf(providerText(['one ', '"two"']))
  expect(spoken(text)).toBe('one "two"')
  expect(dataOf(text).at(-1)).toBe('[DONE]')
  const args = dataOf(bytesOf(providerArguments(['{"a":', '1}'])))
  expect(args.filter((data) => data.includes('tool_calls'))).toHaveLength(4)
})
