/** The agent of a run: which model it asks, with which tools. */
import { type Agent, agent, systemClock, type Tool } from '@factwire/runtime'
import { Refused } from './refused.ts'
import type { KeptRun, Storage } from './storage.ts'
import type { Traced } from './tracing.ts'
import type { Upstream } from './upstream.ts'

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
      })
    },
  }
}
