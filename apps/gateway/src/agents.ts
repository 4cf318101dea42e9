/** The agent of a run: which model it asks, with which tools. */
import type { Failure } from '@factwire/core'
import { type Agent, agent, systemClock, type Tool } from '@factwire/runtime'
import { Refused } from './refused.ts'
import type { KeptRun, Storage } from './storage.ts'
import type { Traced } from './tracing.ts'
import type { Upstream } from './upstream.ts'

/** A provider's own words may hold its key, or whose it is: clients are told what kind of failure it was. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ['rate_limited', 'the provider is asked too often'],
  ['overloaded', 'the provider has no room for now'],
  ['timeout', 'the provider took too long'],
  ['unreachable', 'the provider cannot be reached'],
  ['stream_interrupted', 'the answer of the provider broke off'],
  ['invalid_answer', 'the answer of the provider cannot be used'],
  ['provider_error', 'the provider failed'],
  ['invalid_request', 'the provider refused the request'],
  ['context_overflow', 'the thread is too long for the model'],
  ['unauthorized', 'the provider refused who asks'],
  ['model_not_found', 'the provider does not know the model'],
  ['quota_exhausted', "the provider's quota is used up"],
  ['content_filtered', 'the provider refused the content'],
  ['approval_unsupported', 'the provider wants somebody to agree to a call of its own'],
])

const told = ({ code }: Failure): Failure => ({ code, message: WORDS.get(code) ?? 'the agent failed' })

export type AgentOf = (run: KeptRun, storage: Storage, spans: Traced) => Agent

export interface Agents {
  readonly agentOf: AgentOf
  /** Names of models, the default first. */
  readonly models: readonly string[]
  /** Names of the tools that run here: a client's tool of that name is not the client's. */
  readonly tools: ReadonlySet<string>
  /** @throws Refused for a model that is not here. */
  modelFor(asked: string | undefined): string
}

export interface AgentsOptions {
  readonly upstream: Upstream
  readonly tools: readonly Tool[]
  readonly instructions?: string
}

export function agents({ upstream, tools, instructions }: AgentsOptions): Agents {
  const { models } = upstream
  const [first = ''] = models

  return {
    models,
    tools: new Set(tools.map(({ name }) => name)),
    modelFor(asked) {
      if (asked === undefined || models.includes(asked)) return asked ?? first
      throw new Refused(
        404,
        'model_not_found',
        `there is no model "${asked}" here: GET /v1/models lists those that there are`,
      )
    },
    agentOf({ model = first, instructions: own }, { journal, checkpoints }, spans) {
      const { fetch, ...asked } = upstream.model(
        model,
        [instructions, own].filter((each) => each !== undefined).join('\n\n') || undefined,
      )
      return agent({
        model: asked,
        fetch: spans.fetch(fetch),
        tools: spans.tools(tools),
        clock: systemClock,
        journal,
        checkpoints,
        fold: { reasoning: 'text' },
        told,
      })
    },
  }
}
