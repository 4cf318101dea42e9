/** What a provider does with one request, move by move. */
import { type Chunk, DONE, error, finish, frame, role, text, usage } from './wire.ts'

export type Move =
  | { readonly type: 'send'; readonly text: string }
  /** A piece of the body, wherever it was cut. */
  | { readonly type: 'bytes'; readonly bytes: Uint8Array }
  | { readonly type: 'wait'; readonly milliseconds: number }
  /** Nothing more comes, and the connection stays open. */
  | { readonly type: 'hang' }
  /** The connection is gone, in the middle of whatever was said. */
  | { readonly type: 'cut' }

/** A body that has no more moves is over. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly moves: readonly Move[]
}

export const send = (...chunks: readonly Chunk[]): Move[] =>
  chunks.map((chunk) => ({ type: 'send', text: frame(chunk) }))
export const raw = (data: string): Move => ({ type: 'send', text: data })
export const wait = (milliseconds: number): Move => ({ type: 'wait', milliseconds })
export const hang: Move = { type: 'hang' }
export const cut: Move = { type: 'cut' }
export const done: Move = raw(DONE)

export const stream = (...moves: readonly (Move | readonly Move[])[]): Reply => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream' },
  moves: moves.flat(),
})

/** A whole stream: its chunks, a finish, what it cost. */
export const answer = (reason: string, ...chunks: readonly Chunk[]): Reply =>
  stream(send(role(), ...chunks, finish(reason), usage(12, 5)), done)

export const words = (...pieces: readonly string[]): Reply => answer('stop', ...pieces.map(text))

export const refusal = (
  status: number,
  code: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Reply => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  moves: [raw(JSON.stringify(error(code, message)))],
})
