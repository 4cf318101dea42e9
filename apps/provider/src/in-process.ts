/** The provider as a `fetch`: the same replies without a socket, for tests whose every turn has to be the same. */
import type { Move } from './reply.ts'
import type { Provider } from './provider.ts'
import type { ChatBody } from './strict.ts'

export interface InProcessOptions {
  /** How long a `wait` is: whatever this settles with. Default: at once. */
  wait?(milliseconds: number): Promise<void>
  /** Changes the pieces of a body: cuts, doubles, breaks them. */
  disturb?(moves: readonly Move[]): readonly Move[]
}

export function inProcess(
  { reply }: Provider,
  { wait = async () => undefined, disturb = (moves) => moves }: InProcessOptions = {},
): typeof fetch {
  return async (_input, init) => {
    const { status, headers, moves } = reply(JSON.parse(typeof init?.body === 'string' ? init.body : '{}') as ChatBody)
    const signal = init?.signal ?? undefined
    if (signal?.aborted) throw signal.reason as Error
    const left = [...disturb(moves)]
    const encoder = new TextEncoder()
    let cancelled = false

    async function pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
      if (cancelled) return
      const move = left.shift()
      switch (move?.type) {
        case undefined:
          return controller.close()
        case 'send':
          return controller.enqueue(encoder.encode(move.text))
        case 'bytes':
          return controller.enqueue(move.bytes)
        case 'wait':
          await wait(move.milliseconds)
          return pull(controller)
        case 'cut':
          return controller.error(new TypeError('terminated', { cause: new Error('read ECONNRESET') }))
        case 'hang':
          return new Promise<void>(() => undefined)
      }
    }

    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) =>
          signal?.addEventListener('abort', () => {
            if (cancelled) return
            cancelled = true
            controller.error(signal.reason)
          }),
        pull,
        cancel: () => void (cancelled = true),
      },
      { highWaterMark: 0 },
    )
    return new Response(body, { status, headers })
  }
}
