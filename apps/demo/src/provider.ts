/** A model provider on the own machine: it speaks chat completion chunks over HTTP, in the most awkward pieces. */
import { createServer, type Server, type ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { answerBytes } from './script.ts'

const CR = 0x0d
const LF = 0x0a
const LONGEST = 90
/** Milliseconds between two pieces: enough that the network does not join them again. */
const GAP = 3

/** `POST /v1/chat/completions`; with `?cut` the connection breaks in the middle of a call's arguments. */
export function provider(): Server {
  return createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://localhost')
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    void speak(response, url.searchParams.has('cut'))
  })
}

async function speak(response: ServerResponse, cut: boolean): Promise<void> {
  const bytes = answerBytes()
  for (const piece of awkwardPieces(cut ? beginning(bytes) : bytes)) {
    response.write(piece)
    await pause(GAP)
  }
  if (!cut) response.end()
  else {
    // A reader may drop what it has not looked at when the connection breaks, and each act should look the same.
    await pause(10 * GAP)
    response.destroy()
  }
}

/** Cuts where it hurts a reader: inside a character, inside JSON, between CR and LF. */
export function awkwardPieces(bytes: Uint8Array): Uint8Array[] {
  const pieces: Uint8Array[] = []
  let start = 0
  for (const [at, byte] of bytes.entries()) {
    const insideCharacter = (byte & 0xc0) === 0x80
    const betweenCrLf = byte === LF && bytes[at - 1] === CR
    if (!insideCharacter && !betweenCrLf && at - start < LONGEST) continue
    pieces.push(bytes.subarray(start, at))
    start = at
  }
  pieces.push(bytes.subarray(start))
  return pieces
}

/** Up to the middle of the first call's arguments, in the middle of a chunk. */
export function beginning(bytes: Uint8Array): Uint8Array {
  const start = ':\\"S'
  return bytes.subarray(0, Buffer.from(bytes).indexOf(start) + start.length)
}
