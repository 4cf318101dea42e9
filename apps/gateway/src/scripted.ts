/** The script that answers where no provider is configured: each scene is a model, and the tools that the scenes call. */
import { setTimeout as pause } from 'node:timers/promises'
import { isJsonObject, type Json } from '@factwire/core'
import { answer, call, inProcess, provider, scenes, text, words } from '@factwire/provider'
import type { Tool } from '@factwire/runtime'
import { modelOf, type Upstream, type UpstreamWire } from './upstream.ts'

/** What a first visitor sees: a tool that runs, and an answer. */
const demo = [
  [
    answer(
      'tool_calls',
      ...['I follow a script', ', because no provider is configured. ', 'Let me look something up.'].map(text),
      call(0, 'call_demo', 'look_up', '{"city":"Oslo"}'),
    ),
  ],
  [words('It is 4 degrees', ' in Oslo. ', 'Begin a run of the model "approval" at /v1/runs: it waits for you.')],
]

/** How long a script waits before each piece, so that one can see it come. */
const PACE = 30

export function scriptedUpstream(asking: UpstreamWire, pace = PACE): Upstream {
  const all = { demo, ...scenes }
  return {
    models: Object.keys(all),
    model: (name, instructions) => ({
      ...modelOf(asking, 'http://script.invalid', '', name, instructions),
      fetch: inProcess(provider(all), {
        wait: (milliseconds) => pause(milliseconds),
        ...(pace > 0
          ? { disturb: (moves) => moves.flatMap((move) => [{ type: 'wait', milliseconds: pace } as const, move]) }
          : {}),
      }),
    }),
  }
}

export const scriptedTools: readonly Tool[] = [
  {
    name: 'look_up',
    description: 'How it is in a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    run(input, { output }) {
      const city = fieldOf(input, 'city')
      output(`looking at ${city}`)
      return { data: { city, degrees: city.length } }
    },
  },
  {
    name: 'remove',
    description: 'Removes a file, if somebody says yes. It only says that it did.',
    approval: (input) => ({ message: `Remove ${fieldOf(input, 'path')}?` }),
    run: (input) => `removed ${fieldOf(input, 'path')}`,
  },
  { name: 'now', description: 'The time.', run: () => new Date().toISOString() },
]

function fieldOf(input: Json, name: string): string {
  const value = isJsonObject(input) ? input[name] : undefined
  return typeof value === 'string' ? value : ''
}
