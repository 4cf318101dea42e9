/** A second reader, which shows fragments as they come and never looks at the whole: `streamText` with the AI SDK's own provider. */
import { createOpenAI } from '@ai-sdk/openai'
import { isStepCount, jsonSchema, streamText } from 'ai-7'
import { expect, test } from 'vitest'
import {
  approval,
  bodyOf,
  cancelled,
  clientTool,
  failed,
  length,
  OPTIONS,
  parallel,
  reasoning,
  refused,
  tell,
  text,
  type Tell,
  tool,
} from './scenes.ts'

interface View {
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly string[]
  readonly results: readonly string[]
  readonly finish: string
  readonly errors: readonly string[]
  /** What its user's tool was run with. */
  readonly ran: readonly string[]
  readonly requests: number
  readonly warnings: readonly string[]
}

async function viewOf(...bodies: readonly string[]): Promise<View> {
  let requests = 0
  const ran: string[] = []
  const errors: string[] = []
  const warnings: string[] = []
  const { warn } = console
  console.warn = (...words: unknown[]): void => void warnings.push(words.map(String).join(' '))
  const openai = createOpenAI({
    apiKey: 'none',
    baseURL: 'http://agent.test/v1',
    fetch: async () =>
      new Response(bodies[Math.min(requests++, bodies.length - 1)], {
        headers: { 'content-type': 'text/event-stream' },
      }),
  })
  try {
    const result = streamText({
      model: openai.responses('factwire'),
      prompt: 'go',
      maxRetries: 0,
      stopWhen: isStepCount(5),
      onError: ({ error }) => void errors.push(error instanceof Error ? error.message : JSON.stringify(error)),
      tools: {
        choose: {
          inputSchema: jsonSchema<{ from: string[] }>({ type: 'object' }),
          execute: async ({ from }) => {
            ran.push(from.join())
            return from[0]
          },
        },
      },
    })
    let said = ''
    let thought = ''
    const calls: string[] = []
    const results: string[] = []
    let finish = 'none'
    for await (const part of result.fullStream) {
      if (part.type === 'text-delta') said += part.text
      if (part.type === 'reasoning-delta') thought += part.text
      if (part.type === 'tool-call') calls.push(`${part.toolName}${part.providerExecuted ? ', executed' : ''}`)
      if (part.type === 'tool-result') results.push(part.toolName)
      if (part.type === 'finish') finish = part.finishReason
    }
    return { text: said, reasoning: thought, calls, results, finish, errors, ran, requests, warnings }
  } finally {
    console.warn = warn
  }
}

const read = (scene: Tell): Promise<View> => viewOf(bodyOf(tell(scene).events))

const once = { requests: 1, errors: [], ran: [], warnings: [] }

test('shows text and reasoning', async () => {
  expect(await read(text)).toMatchObject({ ...once, text: 'Hello.', finish: 'stop' })
  expect(await read(reasoning)).toMatchObject({ ...once, text: 'It is 4.', reasoning: 'Let me see.', finish: 'stop' })
})

test('takes the calls of the agent as run, asks for nothing more and runs nothing itself', async () => {
  const one = await read(tool)
  expect(one).toMatchObject({ ...once, text: 'I look.It is cold.', calls: ['mcp.look_up, executed'], finish: 'stop' })
  const two = await read(parallel)
  expect(two).toMatchObject({ ...once, calls: ['mcp.look_up, executed', 'mcp.look_up, executed'], text: 'Done.' })
})

test('runs a call of the client once, and asks once more', async () => {
  const view = await viewOf(bodyOf(tell(clientTool).events), bodyOf(tell(text).events, OPTIONS))
  expect(view).toMatchObject({
    requests: 2,
    ran: ['red'],
    text: 'Which?Hello.',
    errors: [],
    warnings: [],
    finish: 'stop',
  })
})

test('asks its user for an approval', async () => {
  const { requests, errors, ran, text: said } = await read(approval)
  expect({ requests, errors, ran, said }).toEqual({ requests: 1, errors: [], ran: [], said: 'Shall I?' })
})

test('sees that an answer was too long, was refused, that a run was cancelled, and that one has failed', async () => {
  expect(await read(length)).toMatchObject({ ...once, finish: 'length' })
  expect(await read(refused)).toMatchObject({ ...once, finish: 'content-filter' })
  expect(await read(cancelled)).toMatchObject({ ...once, finish: 'other' })
  const { finish, errors, ran } = await read(failed)
  expect({ finish, ran }).toEqual({ finish: 'error', ran: [] })
  expect(errors.join()).toContain('too many requests')
})
