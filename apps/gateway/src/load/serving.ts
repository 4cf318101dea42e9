/** The gateway under load, in a process of its own. Its provider waits for a signal, and then speaks in the rhythm that it was told. */
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gateway } from '../gateway.ts'
import { scriptedTools, scriptedUpstream } from '../scripted.ts'
import { listen } from '../server.ts'
import { sqliteStorage } from '../sqlite-storage.ts'
import { memoryStorage } from '../storage.ts'
import { modelOf, type Upstream } from '../upstream.ts'
import { upstream as chat } from '../upstreams/chat.ts'
import { answering, usage } from './children.ts'
import { type Rhythm, rhythm } from './rhythm.ts'

export type ServingQuestion =
  | { readonly type: 'listen'; readonly port?: number }
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

/** Where runs are kept, if they are to outlive the process. */
const [, , folder] = process.argv

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

/** The same in steps of half a second, each committed before the next: a tool is called between them. */
function speakingInSteps(): typeof fetch {
  let step = 0
  return async () => {
    const index = step++
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        const { perSecond, seconds } = await told
        controller.enqueue(chunk({ role: 'assistant', content: '' }))
        await rhythm({ perSecond, seconds: STEP }, (content) => controller.enqueue(chunk({ content })))
        const isLast = (index + 1) * STEP >= seconds
        const called = { index: 0, id: `call_${index}`, type: 'function', function: { name: 'now', arguments: '{}' } }
        if (!isLast) controller.enqueue(chunk({ tool_calls: [called] }))
        controller.enqueue(chunk({}, isLast ? 'stop' : 'tool_calls'))
        controller.enqueue(new TextEncoder().encode('data: [DONE]\n\n'))
        controller.close()
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }
}

/** Seconds. */
const STEP = 0.5

const script = scriptedUpstream(chat, 0)
const upstream: Upstream = {
  models: ['load', 'load-steps', ...script.models],
  model: (name, instructions) =>
    name.startsWith('load')
      ? {
          ...modelOf(chat, 'http://load.invalid', '', name, instructions),
          fetch: name === 'load' ? speaking : speakingInSteps(),
        }
      : script.model(name, instructions),
}

const made = await gateway({
  upstream,
  tools: scriptedTools,
  storage: async (tenant) => (folder === undefined ? memoryStorage() : sqliteStorage(join(folder, `${tenant}.db`))),
  hub: { flushMs: 20, blockedMs: 600_000 },
})

answering<ServingQuestion>(async (question) => {
  switch (question.type) {
    case 'listen': {
      const { port } = await listen(made, { host: '127.0.0.1', port: question.port ?? 0 })
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
