/** A segment that is over, told again as a stream from its facts. */
import { type Encodable, type Fact, factEvent, type RunContext, writer } from '@factwire/core'

const SLICE = 64

/** The bytes come as they are asked for. `onOver`: all of them were, or nobody wants them any more. */
export function toldAgain<Frame, Options>(
  protocol: Encodable<Frame, Options>,
  run: RunContext,
  facts: readonly Fact[],
  options: NoInfer<Options> | undefined,
  onOver: () => void,
): Response {
  const { push, close } = writer(protocol, run, options === undefined ? {} : { transcoder: options })
  const utf8 = new TextEncoder()
  let told = 0
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      let text = ''
      while (text === '' && told < facts.length) {
        text = facts
          .slice(told, told + SLICE)
          .map((fact) => push(factEvent(fact)))
          .join('')
        told += SLICE
      }
      const isOver = told >= facts.length
      const bytes = utf8.encode(isOver ? text + close() : text)
      if (bytes.length > 0) controller.enqueue(bytes)
      if (!isOver) return
      controller.close()
      onOver()
    },
    cancel: onOver,
  })
  const { mediaType, headers } = protocol.framing
  return new Response(body, { headers: { 'content-type': mediaType, ...headers } })
}
