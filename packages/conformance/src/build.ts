/** Makes the run that was planned: the deltas of each step, its commits, and an end. */
import {
  type Commit,
  type EndCause,
  type Json,
  type Message,
  type Pending,
  type RunContext,
  type Standing,
  endRun,
  fold,
} from '@factwire/core'
import { type Documents, createDocuments } from './documents.ts'
import type { Repeats, RunPlan, StepPlan } from './plan.ts'
import type { LiveRun, ScriptItem } from './run.ts'
import { tellStep } from './step.ts'

export const context: RunContext = { threadId: 'thread-1', runId: 'run-1' }

export interface BuildOptions {
  readonly repeats?: Repeats
  readonly before?: Standing
  readonly state?: Json | undefined
  /** What the first commits hold. */
  readonly opening?: readonly (readonly Message[])[]
  /** Number of the first step. */
  readonly from?: number
}

export function build(plan: RunPlan, options: BuildOptions = {}): LiveRun {
  const { steps, end, marks, partial } = plan
  const { repeats = 'nowhere', before = { openCalls: [] }, opening = [[]], from = 0 } = options
  const script: ScriptItem[] = []
  const documents = createDocuments(
    options.state,
    steps.some(({ patches }) => patches.length > 0),
  )
  let standing = before
  /** Where the thread stood before the last commit. */
  let earlier = before
  const commit = (item: Commit): void => {
    script.push({ commit: item })
    earlier = standing
    standing = fold(item, standing).after
  }
  const scribe = {
    deltas: (deltas: ScriptDeltas): void => void script.push(...deltas.map((delta) => ({ delta }))),
    commit: (item: Omit<Commit, 'state'>): void => commit({ ...item, state: { type: 'running' } }),
  }

  for (const messages of opening) scribe.commit({ messages })
  let pending: readonly Pending[] = []
  steps.forEach((given, position) => {
    const last = position === steps.length - 1
    const pends = last && 'awaiting' in end
    const cutShort = last && partial && 'cause' in end
    const asks = pends || (given.asks && given.results !== 'with their message' && !cutShort)
    const told = tellStep(asks ? withClientTool(given) : given, scribe, documents, {
      number: from + position,
      marks,
      repeats,
      asks,
      pends,
      cutShort,
    })
    pending = told.pending
    if (cutShort) commit(ending(plan, end.cause, standing, documents, told.message))
  })

  if (standing.state?.type === 'running') {
    const tail = script.at(-1)
    const merged = plan.endsAtOnce && tail && 'commit' in tail ? tail.commit : undefined
    if (merged && ('awaiting' in end || standing.openCalls.length === 0)) {
      script.pop()
      standing = earlier
      commit(
        'cause' in end
          ? { ...merged, ...ending(plan, end.cause, { openCalls: [] }, documents), messages: merged.messages }
          : { ...merged, state: { type: 'awaiting' }, pending },
      )
    } else if ('cause' in end) commit(ending(plan, end.cause, standing, documents))
    else commit({ messages: [], state: { type: 'awaiting' }, pending })
  }
  const resets = steps.some((step) => step.reset || step.parts.some(isCancelled))
  const run = { ...context, ...plan.context }
  const state = documents.state()
  return {
    run,
    script,
    marks,
    marked: marks === 'both',
    resets,
    before,
    after: standing,
    ...(state === undefined ? {} : { state }),
  }
}

type ScriptDeltas = readonly Extract<ScriptItem, { delta: unknown }>['delta'][]

/** Of a run that failed nobody asks what it gives. */
function ending(
  { result }: RunPlan,
  cause: EndCause,
  standing: Standing,
  documents: Documents,
  partial?: Message,
): Commit {
  const failed = cause.type === 'error' || cause.type === 'indeterminate'
  return {
    ...endRun(standing, cause, partial),
    ...documents.news(),
    ...(result === undefined || failed ? {} : { result }),
  }
}

/** The tool that the client brought; every other is the agent's own. */
export const CLIENT_TOOL = 'ask_user'

/** Calls that wait for the client are calls of its tool. */
function withClientTool(step: StepPlan): StepPlan {
  const parts = step.parts.map((part) =>
    part.kind === 'call' && part.pending === 'client' && part.broken === undefined
      ? { ...part, name: CLIENT_TOOL }
      : part,
  )
  return { ...step, parts }
}

const isCancelled = (part: StepPlan['parts'][number]): boolean => part.kind === 'call' && part.cancelled
