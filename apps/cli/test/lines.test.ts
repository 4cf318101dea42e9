import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lines } from '../src/lines.ts'

async function linesOf(...chunks: readonly Uint8Array[]): Promise<string[]> {
  async function* source(): AsyncGenerator<Uint8Array> {
    yield* chunks
  }
  const given: string[] = []
  for await (const line of lines(source())) given.push(line)
  return given
}

test('gives the same lines however the bytes are cut', async () => {
  const text = fc.array(
    fc.string({ unit: 'grapheme' }).filter((line) => !/[\r\n]/.test(line) && !line.startsWith('\ufeff')),
  )
  await fc.assert(
    fc.asyncProperty(text, fc.constantFrom('\n', '\r\n'), fc.array(fc.nat(60)), async (wanted, end, cuts) => {
      const bytes = Buffer.from(wanted.map((line) => line + end).join(''))
      const places = [0, ...cuts.filter((cut) => cut < bytes.length).toSorted((a, b) => a - b), bytes.length]
      const chunks = places.slice(1).map((to, index) => bytes.subarray(places[index], to))
      expect(await linesOf(...chunks)).toEqual(wanted)
    }),
    { seed: 1, numRuns: 300 },
  )
})

test('gives a last line that has no end', async () => {
  expect(await linesOf(Buffer.from('a\nb'))).toEqual(['a', 'b'])
})

test('refuses bytes that are not UTF-8', async () => {
  await expect(linesOf(Buffer.from('good\n'), Buffer.from([0xc3, 0x28]))).rejects.toMatchObject({
    code: 'malformed_frame',
  })
})

test('refuses a line without end before it is read whole', async () => {
  let read = 0
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (;;) {
      read++
      yield new Uint8Array(1024 * 1024)
    }
  }
  await expect(lines(endless()).next()).rejects.toMatchObject({ code: 'too_large' })
  expect(read).toBe(17)
})
