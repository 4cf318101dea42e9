/** AG-UI: a `RunAgentInput` in, its events out as server-sent events, or as protobuf for who asks for that by name. */
import { type AgUiEvent, type AgUiOptions, type AgUiRequest, agUi, negotiate } from '@factwire/ag-ui'
import { protoFraming } from '@factwire/ag-ui/proto'
import { isJsonObject } from '@factwire/core'
import { readSse } from '@factwire/sse'
import type { Form, Mount } from '../mount.ts'

export const mount: Mount<AgUiEvent, AgUiOptions, AgUiRequest> = {
  protocol: agUi,
  starts: [
    {
      path: '/v1/ag-ui',
      messageIds: 'client',
      thread: ({ threadId }) => threadId,
      run: ({ runId }) => runId,
      // The wire has no field for it.
      model({ forwardedProps }) {
        const model = isJsonObject(forwardedProps) ? forwardedProps['model'] : undefined
        return typeof model === 'string' ? model : undefined
      },
      form: ({ header }) => (negotiate(header('accept')) === 'proto' ? proto : undefined),
    },
  ],
}

const proto: Form = {
  headers: { ...protoFraming.headers, 'content-type': protoFraming.mediaType },
  body(text) {
    const messages = readSse(text)[Symbol.asyncIterator]()
    return new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        async pull(controller) {
          for (;;) {
            const { value, done } = await messages.next()
            if (done) return controller.close()
            const event = agUi.framing.parse(value)
            if (event) return controller.enqueue(new Uint8Array(protoFraming.bytes(event)))
          }
        },
        async cancel() {
          await messages.return?.(undefined)
        },
      },
      { highWaterMark: 0 },
    )
  },
}
