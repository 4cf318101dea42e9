/** The loop of the AI SDK, `streamText` with `stopWhen`, as its documentation has it. */
import * as six from 'ai'
import * as seven from 'ai-7'
import { createOpenAICompatible as createSeven } from 'ai-7-openai-compatible'
import { createOpenAICompatible as createSix } from 'ai-openai-compatible'
import { type Loop, nextOf, settled, trace } from './row.ts'

interface Sdk {
  readonly streamText: typeof six.streamText
  readonly steps: typeof six.stepCountIs
  readonly jsonSchema: typeof six.jsonSchema
  readonly create: typeof createSix
}

const SDKS: Readonly<Record<'6' | '7', Sdk>> = {
  '6': { streamText: six.streamText, steps: six.stepCountIs, jsonSchema: six.jsonSchema, create: createSix },
  // The parts that are used here are alike; their types are not the same types.
  '7': {
    streamText: seven.streamText,
    steps: seven.isStepCount,
    jsonSchema: seven.jsonSchema,
    create: createSeven,
  } as unknown as Sdk,
}

/** `tick` lets the next timer run, and is false when there is none. */
export const aiSdk =
  (version: '6' | '7', tick: () => boolean): Loop =>
  async (scene, provider, fetch) => {
    const { streamText, steps, jsonSchema, create } = SDKS[version]
    const { ran, lookUp } = trace()
    const before = [{ role: 'user' as const, content: 'Go.' }]
    const model = create({ name: 'scripted', baseURL: 'http://provider.test', fetch }).chatModel(scene)
    let text = ''
    const errors: string[] = []
    /** What a host can keep of a run that fails: the steps that were finished. */
    let steady: readonly unknown[] = []
    const any = jsonSchema<Record<string, unknown>>({ type: 'object' })
    const result = streamText({
      model,
      messages: before,
      stopWhen: steps(5),
      onError: () => undefined,
      onStepFinish: ({ response }) =>
        void (steady = version === '6' ? response.messages : [...steady, ...response.messages]),
      // As long as the loop of this repository has, which has them without being asked.
      timeout: { totalMs: 600_000, chunkMs: 60_000, firstChunkMs: 60_000, toolMs: 120_000 } as { totalMs: number },
      tools: {
        look_up: {
          inputSchema: jsonSchema<{ city: string }>({
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
          }),
          execute: async ({ city }) => lookUp(city),
        },
        fail: {
          inputSchema: any,
          execute: async () => {
            throw new Error('disk full')
          },
        },
        hang: { inputSchema: any, execute: () => new Promise<string>(() => undefined) },
        now: { inputSchema: any, execute: async () => 'noon' },
      },
    })
    async function read(): Promise<string> {
      for await (const part of result.fullStream) {
        if (part.type === 'text-delta') text += part.text
        if (part.type === 'start-step' && text !== '') text += ' | '
        if (part.type === 'error') errors.push(wordsOf(part.error))
      }
      return result.finishReason
    }
    const end = await settled(
      read().catch((error: unknown) => `throws ${wordsOf(error)}`),
      tick,
    )
    if (end === 'hangs')
      return { text, end: 'never', ran, requests: provider.requests.length, kept: '', next: 'nothing is kept' }
    const kept = steady
    const requests = provider.requests.length
    return {
      text,
      end: [end, ...errors].join(', '),
      ran,
      requests,
      kept: kept.map((message) => (message as { role: string }).role).join(' '),
      next: await nextRequest(),
    }

    /** What it sends when the conversation goes on with what was kept. */
    async function nextRequest(): Promise<string> {
      const messages = [...before, ...kept, { role: 'user' as const, content: 'And now?' }]
      let body: string | undefined
      const spy = create({
        name: 'scripted',
        baseURL: 'http://provider.test',
        fetch: async (_url, init) => {
          body = typeof init?.body === 'string' ? init.body : '{}'
          return new Response('data: [DONE]\n\n', { headers: { 'content-type': 'text/event-stream' } })
        },
      })
      const next = streamText({
        model: spy.chatModel(scene),
        messages: messages as typeof before,
        onError: () => undefined,
        maxRetries: 0,
      })
      await settled(
        (async () => {
          for await (const _part of next.fullStream);
        })().catch(() => undefined),
        tick,
      )
      return body === undefined
        ? 'refused before it is sent'
        : nextOf((JSON.parse(body) as { messages: unknown }).messages)
    }
  }

/** The name of an error, or its code where it is the provider's own. */
function wordsOf(error: unknown): string {
  if (error instanceof Error) return error.name
  const { code } = error as { readonly code?: unknown }
  return `code ${String(code)}`
}
