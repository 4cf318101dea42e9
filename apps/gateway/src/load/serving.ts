/** The gateway under load, in a process of its own. Its provider waits for a signal, and then speaks in the rhythm that it was told. */
import type { AddressInfo } from 'node:net'
import { gateway } from '../gateway.ts'
import { scriptedTools, scriptedUpstream } from '../scripted.ts'
import { listen } from '../server.ts'
import { memoryStorage } from '../storage.ts'
import { modelOf, type Upstream } from '../upstream.ts'
import { upstream as chat } from '../upstreams/chat.ts'
import { answering, usage } from './children.ts'
import { type Rhythm, rhythm } from './rhythm.ts'

export type ServingQuestion =
  | { readonly type: 'listen' }
  | { readonly type: 'usage' }
  /** Lets the provider speak. */
  | ({ readonly type: 'speak' } & Rhythm)

let speak: (how: Rhythm) => void = () => undefined
const told = new Promise<Rhythm>((resolve) => {
  speak = resolve
})

const chunk = (delta: object, finish: string | null = null): Uint8Array =>
  new TextEncoder().encode(
    `data: ${JSON.stringify({ id: 'load', object: 'chat.completion.chunk', created: 0, model: 'load', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`,
  )

/** One answer, as it is said. */
const speaking: typeof fetch = async () => {
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(chunk({ role: 'assistant', content: '' }))
      await rhythm(await told, (content) => controller.enqueue(chunk({ content })))
      controller.enqueue(chunk({}, 'stop'))
      controller.enqueue(new TextEncoder().encode('data: [DONE]\n\n'))
      controller.close()
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

const script = scriptedUpstream(chat, 0)
const upstream: Upstream = {
  models: ['load', ...script.models],
  model: (name, instructions) =>
    name === 'load'
      ? { ...modelOf(chat, 'http://load.invalid', '', name, instructions), fetch: speaking }
      : script.model(name, instructions),
}

const made = await gateway({
  upstream,
  tools: scriptedTools,
  storage: async () => memoryStorage(),
  hub: { flushMs: 20, blockedMs: 600_000 },
})

answering<ServingQuestion>(async (question) => {
  switch (question.type) {
    case 'listen': {
      const { port } = await listen(made, { host: '127.0.0.1', port: 0 })
      return { port } satisfies Pick<AddressInfo, 'port'>
    }
    case 'usage':
      return { ...usage(), metrics: [...made.tenants.values()].map(({ hub }) => hub.metrics()) }
    case 'speak':
      speak(question)
      return {}
    default:
      return question satisfies never
  }
})
