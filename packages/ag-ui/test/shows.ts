/** What of a run's truth this wire shows, told without a transcoder. */
import type { ClientView, LiveRun, Seen } from '@factwire/conformance'
import type { Commit, ContentBlock, Inference, Json, Pending, TokenUsage } from '@factwire/core'
import { history } from '../src/history.ts'
import type { Reader } from './view.ts'
import { earlier } from './view.ts'

type Shows = (truth: Seen, run: LiveRun, first?: LiveRun) => Seen & Pick<ClientView, 'more'>

export function shownTo({ version = '1.0', thread = true }: Reader): Shows {
  return (truth, run, first) => {
    const { state, ...rest } = waiting(truth, run)
    const commits = commitsOf(run)
    const last = commits.at(-1)
    const order = truth.turns.flatMap(({ text, calls }) =>
      text === '' && calls.length === 0
        ? []
        : ['assistant', ...calls.flatMap(({ result }) => (result ? ['tool'] : []))],
    )
    return {
      ...rest,
      // A client of 0.0.59 does not take an empty state, nor media in results.
      ...(state === undefined || (version !== '1.0' && !state) ? {} : { state }),
      more: {
        earlier: thread ? history({ messages: earlier }) : [],
        order,
        media: version === '1.0' ? [...(first ? commitsOf(first) : []), ...commits].flatMap(mediaOf).length : 0,
        usage: usageOf(commits.flatMap(({ inference }) => inference ?? [])),
        ...(truth.status === 'failed' ? {} : { result: last?.result ?? undefined, cause: causeOf(last) }),
      },
    }
  }
}

const commitsOf = ({ script }: LiveRun): Commit[] => script.flatMap((item) => ('commit' in item ? [item.commit] : []))

/** An approval hides what else is waited for, and whoever waits for nobody is done. */
function waiting(truth: Seen, run: LiveRun): Seen {
  if (truth.status !== 'waiting') return truth
  const { waitingFor: _, ...rest } = truth
  const pending: readonly Pending[] = commitsOf(run).at(-1)?.pending ?? []
  const approvals = pending.filter(({ kind }) => kind === 'approval')
  const asked = (approvals.length > 0 ? approvals : pending).map(({ tool_use_id }) => tool_use_id)
  return asked.length > 0 ? { ...rest, waitingFor: asked } : { ...rest, status: 'finished' }
}

const mediaOf = ({ messages }: Commit): ContentBlock[] =>
  messages.flatMap(({ content }) =>
    content.filter((block) => block.type === 'tool_result' && block.content.some(({ type }) => type !== 'text')),
  )

function causeOf(last: Commit | undefined): unknown {
  if (last?.state.type !== 'ended' || last.state.cause.type === 'natural_end') return undefined
  return last.state.cause
}

const COUNTS: readonly (readonly [keyof TokenUsage, string])[] = [
  ['prompt_tokens', 'inputTokens'],
  ['completion_tokens', 'outputTokens'],
  ['total_tokens', 'totalTokens'],
  ['thinking_tokens', 'reasoningTokens'],
  ['cache_read_tokens', 'cachedInputTokens'],
  ['cache_creation_tokens', 'cacheWriteInputTokens'],
]

/** One entry for each model that told any. */
function usageOf(inferences: readonly Inference[]): Json | undefined {
  const told = inferences.filter(({ usage }) => usage !== undefined)
  const models = [...new Set(told.map(({ model }) => model))]
  const entries = models.map((model): { readonly [key: string]: Json } => {
    const own = told.filter((inference) => inference.model === model)
    const sums = COUNTS.flatMap(([from, to]): [string, number][] => {
      const counts = own.flatMap(({ usage }) => usage?.[from] ?? [])
      return counts.length > 0 ? [[to, counts.reduce((sum, count) => sum + count, 0)]] : []
    })
    return { model, ...Object.fromEntries(sums) }
  })
  return entries.length > 0 ? entries : undefined
}
