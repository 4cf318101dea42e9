/** The AI SDK's own server, of each major: a scripted model, `streamText`, and the encoder that it brings. */
import * as sixTest from 'ai/test'
import * as fiveTest from 'ai-5/test'
import * as sevenTest from 'ai-7/test'
import type { StreamTextPart } from '../src/stream-text.ts'
import type { Target } from '../src/wire.ts'
import { SDKS, type UIMessage } from './client.ts'

export interface ModelCall {
  readonly id: string
  readonly name: string
  readonly input: string
  readonly providerExecuted?: boolean
  /** Of a tool that the model's provider runs. */
  readonly result?: unknown
}

/** What the model says in one step. */
export interface ModelTurn {
  readonly thinks?: string
  readonly says?: readonly string[]
  readonly calls?: readonly ModelCall[]
  readonly finish: 'stop' | 'length' | 'tool-calls'
  readonly breaks?: boolean
}

export interface ModelTool {
  /** Without it the client runs the tool. */
  readonly run?: (input: unknown) => unknown
  readonly needsApproval?: boolean
}

export interface Scene {
  readonly turns: readonly ModelTurn[]
  readonly tools?: Readonly<Record<string, ModelTool>>
  /** Most steps. Default 5. */
  readonly steps?: number
  /** Somebody ends it once it has said something. */
  readonly aborts?: boolean
}

interface Mocks {
  readonly model: new (options: { readonly doStream: () => Promise<unknown> }) => never
  readonly stream: typeof sixTest.simulateReadableStream
}

const MOCKS = {
  v5: { model: fiveTest.MockLanguageModelV2, stream: fiveTest.simulateReadableStream },
  v6: { model: sixTest.MockLanguageModelV3, stream: sixTest.simulateReadableStream },
  v7: { model: sevenTest.MockLanguageModelV4, stream: sevenTest.simulateReadableStream },
} as unknown as Readonly<Record<Target, Mocks>>

function partsOf(
  { thinks, says = [], calls = [], finish, breaks }: ModelTurn,
  version: Target,
  step: number,
): unknown[] {
  const [text, thought] = [`text-${step}`, `thought-${step}`]
  const usage =
    version === 'v5'
      ? { inputTokens: 3, outputTokens: 4, totalTokens: 7 }
      : {
          inputTokens: { total: 3, noCache: 3, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 4, text: 4, reasoning: 0 },
        }
  return [
    { type: 'stream-start', warnings: [] },
    { type: 'response-metadata', id: 'response-1', modelId: 'm-large', timestamp: new Date(0) },
    ...(thinks === undefined
      ? []
      : [
          { type: 'reasoning-start', id: thought },
          { type: 'reasoning-delta', id: thought, delta: thinks },
          { type: 'reasoning-end', id: thought },
        ]),
    ...(says.length === 0
      ? []
      : [
          { type: 'text-start', id: text },
          ...says.map((delta) => ({ type: 'text-delta', id: text, delta })),
          { type: 'text-end', id: text },
        ]),
    ...calls.flatMap(({ id, name, input, providerExecuted, result }) => [
      { type: 'tool-input-start', id, toolName: name, ...(providerExecuted ? { providerExecuted } : {}) },
      { type: 'tool-input-delta', id, delta: input.slice(0, 3) },
      { type: 'tool-input-delta', id, delta: input.slice(3) },
      { type: 'tool-input-end', id },
      { type: 'tool-call', toolCallId: id, toolName: name, input, ...(providerExecuted ? { providerExecuted } : {}) },
      ...(result === undefined
        ? []
        : [{ type: 'tool-result', toolCallId: id, toolName: name, result, providerExecuted: true }]),
    ]),
    ...(breaks ? [{ type: 'error', error: new Error('the model broke') }] : []),
    { type: 'finish', finishReason: version === 'v5' ? finish : { unified: finish, raw: finish }, usage },
  ]
}

type Result = ReturnType<(typeof SDKS)['v6']['streamText']>

export function streamScene(version: Target, { turns, tools = {}, steps = 5, aborts }: Scene): Result {
  const { streamText, tool, jsonSchema, stepCountIs } = SDKS[version]
  const { model, stream } = MOCKS[version]
  let count = 0
  const scripted = new model({
    doStream: async () => ({
      stream: stream({ chunks: partsOf(turns[count] ?? { finish: 'stop' }, version, count++), chunkDelayInMs: null }),
    }),
  })
  const given = Object.entries(tools).map(([name, { run, needsApproval }]) => [
    name,
    tool({
      description: name,
      inputSchema: jsonSchema({ type: 'object' }),
      ...(run ? { execute: async (input: unknown) => run(input) } : {}),
      ...(needsApproval ? { needsApproval } : {}),
    } as never),
  ])
  const controller = new AbortController()
  return streamText({
    model: scripted,
    abortSignal: controller.signal,
    onChunk: ({ chunk }: { readonly chunk: { readonly type: string } }) => {
      if (aborts && chunk.type === 'text-delta') controller.abort()
    },
    prompt: 'Go',
    tools: Object.fromEntries(given) as never,
    stopWhen: stepCountIs(steps),
    onError: () => {},
  } as never)
}

/** What its own encoder writes. */
export const officialBody = (version: Target, scene: Scene): Promise<string> =>
  streamScene(version, scene)
    .toUIMessageStreamResponse({
      originalMessages: ASKED,
      generateMessageId: () => 'answer-to-user-1',
      sendReasoning: true,
    })
    .text()

/** What it gives to whoever encodes it himself. */
export const fullStream = (version: Target, scene: Scene): AsyncIterable<StreamTextPart> =>
  streamScene(version, scene).fullStream as AsyncIterable<StreamTextPart>

export const ASKED: UIMessage[] = [{ id: 'user-1', role: 'user', parts: [{ type: 'text', text: 'Go' }] }]

const look = { run: ({ at }: { readonly at?: number }) => ({ seen: at === 1 ? 'a cat' : 'a dog' }) } as ModelTool

export const SCENES: Readonly<Record<string, Scene>> = {
  text: { turns: [{ says: ['Hel', 'lo'], finish: 'stop' }] },
  thought: { turns: [{ thinks: 'Hm.', says: ['42'], finish: 'stop' }] },
  'one-call': {
    tools: { look },
    turns: [
      { says: ['Let me see.'], calls: [{ id: 'c1', name: 'look', input: '{"at":1}' }], finish: 'tool-calls' },
      { says: ['A cat.'], finish: 'stop' },
    ],
  },
  'two-calls': {
    tools: { look },
    turns: [
      {
        calls: [
          { id: 'c1', name: 'look', input: '{"at":1}' },
          { id: 'c2', name: 'look', input: '{"at": 2}' },
        ],
        finish: 'tool-calls',
      },
      { says: ['A cat and a dog.'], finish: 'stop' },
    ],
  },
  'failed-call': {
    tools: {
      look: {
        run: () => {
          throw new Error('it is dark')
        },
      },
    },
    turns: [
      { calls: [{ id: 'c1', name: 'look', input: '{"at":1}' }], finish: 'tool-calls' },
      { says: ['Nothing.'], finish: 'stop' },
    ],
  },
  'client-call': {
    tools: { look, ask_user: {} },
    turns: [
      {
        says: ['Wait.'],
        calls: [
          { id: 'c1', name: 'look', input: '{"at":1}' },
          { id: 'ask', name: 'ask_user', input: '{"q":"Which?"}' },
        ],
        finish: 'tool-calls',
      },
    ],
  },
  approval: {
    tools: { remove: { run: () => 'gone', needsApproval: true } },
    turns: [{ calls: [{ id: 'rm', name: 'remove', input: '{"all":true}' }], finish: 'tool-calls' }],
  },
  'used-up': {
    steps: 1,
    tools: { look },
    turns: [{ calls: [{ id: 'c1', name: 'look', input: '{"at":1}' }], finish: 'tool-calls' }],
  },
  'too-long': { turns: [{ says: ['On and'], finish: 'length' }] },
  aborted: { aborts: true, turns: [{ says: ['Let me', ' see'], finish: 'stop' }] },
  broken: { turns: [{ says: ['Let me'], finish: 'stop', breaks: true }] },
}
