import { expect, test } from 'vitest'
import { sse } from '@factwire/sse'
import { check, outputOf } from '../src/contender.ts'
import { decoder, reducer } from '../src/decoder.ts'
import { encoder } from '../src/encoder.ts'
import { providerArguments, providerText } from '../src/provider.ts'
import { heard, spoken, withoutIds, words } from '../src/shown.ts'
import { bodyOf, dataOf, splitAndParse, type Stream, streamOf, streams, told } from '../src/stream.ts'
import { argumentsRun, mixedRun, textRun } from '../src/workload.ts'

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
    await check([told(stream), decoder(sse, stream), reducer(stream)])
  }
})

test('a wire that shows no arguments has nothing to measure of them', () => {
  const silent: typeof sse = {
    ...sse,
    transcoder(...given) {
      const { fact, settled, delta, close } = sse.transcoder(...given)
      return { fact, settled, close, delta: (event) => (event.type === 'tool_call_delta' ? [] : delta(event)) }
    },
  }
  expect([sse, silent].map((wire) => streams(wire, argumentsRun(50)))).toEqual([true, false])
  expect([sse, silent].map((wire) => streams(wire, textRun(50)))).toEqual([true, true])
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

test('a reader of the wire hears what was written, and notices what was not', async () => {
  const stream = streamOf(sse, mixedRun(0.2))
  const ours = { ...encoder(sse, mixedRun(0.2)), shows: heard(sse) }
  await expect(check([told(stream), ours])).resolves.toBeUndefined()
  const torn = { ...ours, shows: (output: string) => heard(sse)(output.replace('"text_delta","delta":"', '$&x')) }
  await expect(check([told(stream), torn])).rejects.toThrow(/different/)
})

test('a wire that cannot be read is heard by its frames', () => {
  const { name, framing } = sse
  expect(heard({ name, framing })('id: 1\ndata: {"delta":"a b"}\n\ndata: {"delta":"c"}\n\n')).toBe('abc')
  expect(words(' a\n b')).toBe('ab')
})

test('numbers of events can be left out of a comparison', () => {
  expect(withoutIds('id: 1\ndata: a\n\nid: 2\ndata: id: 3\n\n')).toBe('data: a\n\ndata: id: 3\n\n')
})
