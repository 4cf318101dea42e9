/** An agent in the scripted world: the provider's scenes, tools that leave a trace, a clock that stands still. */
import { type Decision, type Message, textOf } from '@factwire/core'
import { history, openaiChat } from '@factwire/openai-chat'
import { inProcess, type Provider, provider, type SceneName, scenes } from '@factwire/provider'
import { readSse } from '@factwire/sse'
import { type Agent, agent, type AgentOptions, type Model, type Tool } from '../src/index.ts'
import { type ManualClock, manualClock } from './clock.ts'

export const RUN = { threadId: 'thread-1', runId: 'run-1' }

export const said = (text: string, id = `said-${text}`): Message => ({
  id,
  role: 'user',
  content: [{ type: 'text', text }],
})

export const CHOOSE = { name: 'choose', description: 'asks the user', parameters: { type: 'object' } }

export function modelOf(scene: SceneName | (string & {}), url = 'http://provider.test'): Model {
  return {
    wire: openaiChat,
    messages: readSse,
    request: ({ messages, tools }) => ({
      url: `${url}/chat/completions`,
      headers: { authorization: 'Bearer none' },
      body: {
        model: scene,
        stream: true,
        stream_options: { include_usage: true },
        messages: history({ messages }),
        ...(tools.length > 0 ? { tools: tools.map((tool) => ({ type: 'function', function: tool })) } : {}),
      },
    }),
  }
}

/** What the tools did, in their order. */
export type Trace = string[]

export function toolsOf(trace: Trace): readonly Tool[] {
  return [
    {
      name: 'look_up',
      description: 'how it is in a city',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      schema: {
        '~standard': {
          validate: (value) =>
            typeof (value as { city?: unknown }).city === 'string'
              ? { value }
              : { issues: [{ message: 'has to be a string', path: ['city'] }] },
        },
      },
      run(input, { output, callId }) {
        const { city } = input as { city: string }
        trace.push(`look_up ${callId} ${city}`)
        output(`looking at ${city}`)
        return { data: { city, degrees: city.length } }
      },
    },
    {
      name: 'remove',
      approval: (input) => ({ message: `Remove ${(input as { path: string }).path}?` }),
      run(input, { callId, decision }) {
        trace.push(`remove ${callId} ${(input as { path: string }).path} ${decision?.approved}`)
        return 'removed'
      },
    },
    { name: 'now', run: () => void trace.push('now') },
    {
      name: 'fail',
      run() {
        trace.push('fail')
        throw new Error('disk full')
      },
    },
    {
      name: 'hang',
      timeoutMs: 5000,
      run: (_input, { signal }) => {
        trace.push('hang')
        return new Promise<void>(() =>
          signal.addEventListener('abort', () => trace.push(`aborted: ${String(signal.reason)}`)),
        )
      },
    },
  ]
}

export interface World {
  readonly agent: Agent
  readonly clock: ManualClock
  readonly provider: Provider
  readonly trace: Trace
}

export function world(
  scene: SceneName | (string & {}),
  options: Partial<AgentOptions> = {},
  clock: ManualClock = manualClock(),
): World {
  const played = provider(scenes)
  const trace: Trace = []
  return {
    agent: agent({ model: modelOf(scene), fetch: inProcess(played), clock, tools: toolsOf(trace), ...options }),
    clock,
    provider: played,
    trace,
  }
}

export const yes = (tool_use_id: string): Decision => ({ tool_use_id, approved: true })
export const no = (tool_use_id: string, payload?: string): Decision => ({
  tool_use_id,
  approved: false,
  ...(payload === undefined ? {} : { payload }),
})

/** A thread in few words. */
export function outline(messages: readonly Message[]): readonly string[] {
  return messages.flatMap(({ role, content }) =>
    content.map((block) => {
      switch (block.type) {
        case 'text':
          return `${role}: ${block.text}`
        case 'thinking':
          return `${role} thinks: ${block.text}`
        case 'tool_use':
          return `calls ${block.id} ${block.name} ${block.raw_input ?? JSON.stringify(block.input)}`
        case 'tool_result': {
          const how = block.denied ? ' denied' : block.cancelled ? ' cancelled' : block.is_error ? ' failed' : ''
          return `${block.tool_use_id}${how}: ${textOf(block.content)}`
        }
        default:
          return block.type
      }
    }),
  )
}
