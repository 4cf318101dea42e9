import type { WireMessage } from '@factwire/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSseReader, type ReadOptions, readSse } from '../src/read.ts'

const encoder = new TextEncoder()

/**
 * The standard's interpretation, written line by line from it over the whole text, with our three differences: the id
 * is that of its own message, lines with an unknown field are given, and the end of input gives what is open, as cut.
 */
function reference(bytes: Uint8Array): WireMessage[] {
  const text = new TextDecoder().decode(bytes)
  const lines = text.split(/\r\n|\r|\n/)
  const messages: WireMessage[] = []
  let data: string[] = []
  let event: string | undefined
  let id: string | undefined
  const dispatch = (end: { readonly cut?: true } = {}): void => {
    if (data.length > 0) {
      messages.push({
        data: data.join('\n'),
        ...(event ? { event } : {}),
        ...(id === undefined ? {} : { id }),
        ...end,
      })
    }
    data = []
    event = undefined
    id = undefined
  }
  lines.forEach((line, index) => {
    const last = index === lines.length - 1
    const colon = line.indexOf(':')
    const field = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (colon === 0 || field === 'retry') return
    if (line === '') dispatch(last ? { cut: true } : {})
    else if (field === 'data') data.push(value)
    else if (field === 'event') event = value
    else if (field === 'id') id = value.includes('\0') ? id : value
    else messages.push({ data: line, stray: true, ...(last ? { cut: true } : {}) })
  })
  dispatch({ cut: true })
  return messages
}

function readPieces(pieces: readonly (Uint8Array | string)[], options?: ReadOptions): WireMessage[] {
  const reader = createSseReader(options)
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()]
}

/** Cuts bytes at the given places, given as shares of their length. */
function cut(bytes: Uint8Array, shares: readonly number[]): Uint8Array[] {
  const places = shares.map((share) => Math.floor(share * (bytes.length + 1))).sort((a, b) => a - b)
  return [...places, bytes.length].map((end, index) => bytes.slice(places[index - 1] ?? 0, end))
}

const TOKENS = [
  '\r', '\n', '\r\n', '\n\n', '\r\r', ':', ': ', ' ', '\0', '\ufeff', 'ï»¿', 'data', 'data:', 'data: ', 'data:x', 'data: {"a":1}\n\n',
  'data: é', '😀', 'event', 'event:', 'event: e', 'id', 'id:', 'id: 1', 'id: 2\n', 'id: \0', 'retry: 5', 'retry: x', 'foo: bar', 'foo',
  ' data: x', 'DATA: x', '{"error":"e"}', ': comment\n', '\u2028', '\u0085', 'x',
] // prettier-ignore

const soup = fc.array(fc.constantFrom(...TOKENS), { maxLength: 30 }).map((tokens) => encoder.encode(tokens.join('')))
const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 })

test('reads as the standard says, however the bytes are cut', () => {
  fc.assert(
    fc.property(soup, shares, (bytes, places) => {
      expect(readPieces(cut(bytes, places))).toEqual(reference(bytes))
    }),
    { seed: 1, numRuns: 8000 },
  )
})

test('reads the same byte by byte', () => {
  fc.assert(
    fc.property(soup, (bytes) => {
      expect(readPieces([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(reference(bytes))
    }),
    { seed: 1, numRuns: 1500 },
  )
})

test('reads text as it reads bytes', () => {
  fc.assert(
    fc.property(soup, shares, (bytes, places) => {
      const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
      const units = places.map((share) => Math.floor(share * (text.length + 1))).sort((a, b) => a - b)
      const pieces = [...units, text.length].map((end, index) => text.slice(units[index - 1] ?? 0, end))
      expect(readPieces(pieces)).toEqual(reference(bytes))
    }),
    { seed: 1, numRuns: 2000 },
  )
})

test('a return and a line feed in two pieces are one line end', () => {
  expect(readPieces(['data: a\r', '\ndata: b\r', '\n\r', '\n'])).toEqual([{ data: 'a\nb' }])
})

test('a message ended by returns is there at once', () => {
  expect(createSseReader().push('data: a\r\r')).toEqual([{ data: 'a' }])
})

test('one byte order mark is taken off, at the start only', () => {
  expect(readPieces(['\ufeffdata: a\n\n\ufeffdata: b\n\n'])).toEqual([
    { data: 'a' },
    { data: '\ufeffdata: b', stray: true },
  ])
  expect(readPieces([Uint8Array.of(0xef), Uint8Array.of(0xbb, 0xbf), 'data: a\n\n'])).toEqual([{ data: 'a' }])
})

test('a character cut between bytes and text does not swallow the text', () => {
  expect(readPieces([encoder.encode('data: é').slice(0, -1), 'x\n\n'])).toEqual([{ data: '\ufffdx' }])
})

test('an unfinished last message is given at the end', () => {
  const reader = createSseReader()
  expect(reader.push('id: 3\ndata: {"a"')).toEqual([])
  expect(reader.end()).toEqual([{ id: '3', data: '{"a"', cut: true }])
})

test('the id of a message is not that of the next', () => {
  expect(readPieces(['id: 0\ndata: a\n\ndata: b\n\n'])).toEqual([{ id: '0', data: 'a' }, { data: 'b' }])
})

test('heartbeats of one line feed or two give nothing', () => {
  expect(readPieces([': heartbeat\n', 'data: a\n\n', ': heartbeat\n\n: heartbeat\n'])).toEqual([{ data: 'a' }])
})

test('lines outside the grammar keep their place', () => {
  expect(readPieces(['data: a\n\n{"error":"x"}\ndata: b\n\n'])).toEqual([
    { data: 'a' },
    { data: '{"error":"x"}', stray: true },
    { data: 'b' },
  ])
})

// ── Size ──

const tooLarge = expect.objectContaining({ code: 'too_large' })

test('a message may be as large as the limit, however it is cut', () => {
  const text = `id: 1\ndata: ${'a'.repeat(9)}\n\n`
  expect(readPieces([text], { maxSize: 10 })).toHaveLength(1)
  expect(readPieces(text.split(''), { maxSize: 10 })).toHaveLength(1)
})

test('a larger message throws, however it is cut', () => {
  const text = `data: ${'a'.repeat(11)}\n\n`
  expect(() => readPieces([text], { maxSize: 10 })).toThrow(tooLarge)
  expect(() => readPieces(text.split(''), { maxSize: 10 })).toThrow(tooLarge)
})

test('many small lines are one large message', () => {
  expect(() => readPieces(['data: aaaa\n'.repeat(4), '\n'], { maxSize: 10 })).toThrow(tooLarge)
})

test('a line that never ends throws before the stream does', () => {
  const reader = createSseReader({ maxSize: 100 })
  const feedMuch = (): void => {
    for (let count = 0; count < 20; count++) reader.push('x'.repeat(10))
  }
  expect(feedMuch).toThrow(tooLarge)
})

test('a last message that is too large throws even where a stray line is its last', () => {
  expect(() => readPieces([`data: ${'a'.repeat(11)}\nfoo`], { maxSize: 10 })).toThrow(tooLarge)
})

test('messages before one that is too large are given first', () => {
  const reader = createSseReader({ maxSize: 10 })
  expect(reader.push(`data: a\n\ndata: ${'b'.repeat(11)}\n\ndata: c\n\n`)).toEqual([{ data: 'a' }])
  expect(() => reader.push('data: d\n\n')).toThrow(tooLarge)
  expect(() => reader.end()).toThrow(tooLarge)
})

// ── Sources ──

async function all(source: Parameters<typeof readSse>[0]): Promise<WireMessage[]> {
  const messages: WireMessage[] = []
  for await (const message of readSse(source)) messages.push(message)
  return messages
}

function streamOf(
  pieces: readonly string[],
  seen: { cancelled?: boolean; pulled?: number } = {},
): ReadableStream<Uint8Array> {
  let next = 0
  return new ReadableStream(
    {
      pull(controller) {
        seen.pulled = next
        const piece = pieces[next++]
        if (piece === undefined) controller.close()
        else controller.enqueue(encoder.encode(piece))
      },
      cancel() {
        seen.cancelled = true
      },
    },
    { highWaterMark: 0 },
  )
}

test('reads a response, a stream, and iterables of bytes or text', async () => {
  const expected = [{ data: 'a' }, { data: 'b' }]
  const pieces = ['data: a\n\nda', 'ta: b\n\n']
  async function* text(): AsyncGenerator<string> {
    yield* pieces
  }
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for (const piece of pieces) yield encoder.encode(piece)
  }
  expect(await all(new Response(streamOf(pieces)))).toEqual(expected)
  expect(await all(streamOf(pieces))).toEqual(expected)
  expect(await all(text())).toEqual(expected)
  expect(await all(bytes())).toEqual(expected)
  expect(await all(new Response(null))).toEqual([])
})

test('a reader that leaves early cancels the stream and reads no further', async () => {
  const seen: { cancelled?: boolean; pulled?: number } = {}
  for await (const message of readSse(streamOf(['data: a\n\n', 'data: b\n\n', 'data: c\n\n'], seen))) {
    expect(message.data).toBe('a')
    break
  }
  expect(seen).toEqual({ cancelled: true, pulled: 0 })
})

test('a stream that breaks throws what broke it, after the messages before', async () => {
  const broken = new Error('connection reset')
  const pieces = ['data: a\n\ndata: b']
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = pieces.shift()
      if (piece === undefined) controller.error(broken)
      else controller.enqueue(encoder.encode(piece))
    },
  })
  const messages: WireMessage[] = []
  const reading = (async () => {
    for await (const message of readSse(stream)) messages.push(message)
  })()
  await expect(reading).rejects.toBe(broken)
  expect(messages).toEqual([{ data: 'a' }])
})

test('a message that is too large cancels the stream', async () => {
  const seen: { cancelled?: boolean } = {}
  const source = streamOf([`data: ${'a'.repeat(50)}\n\n`, 'data: b\n\n'], seen)
  await expect(readSse(source, { maxSize: 10 }).next()).rejects.toThrow(tooLarge)
  expect(seen.cancelled).toBe(true)
})
