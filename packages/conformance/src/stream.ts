/** A run as a stream: its events, its frames, and what there is for somebody who joins. */
import {
  type Activity,
  type AgentEvent,
  type Commit,
  type Delta,
  type Fact,
  type FoldOptions,
  type Inference,
  type Joined,
  type Json,
  type Message,
  type Pending,
  type Standing,
  type ToldCall,
  type Transcoder,
  deltaEvent,
  factEvent,
  fold,
} from '@factwire/core'
import type { LiveRun } from './run.ts'

/** What there is to join at a position of the script: what is committed, and the deltas of what is not. */
export function joinAt({ script, before }: LiveRun, position: number): Joined {
  let standing = before
  let snapshot: Json | undefined
  let revision: number | undefined
  let pending: readonly Pending[] | undefined
  let result: Json | undefined
  const messages: Message[] = []
  const inferences: Inference[] = []
  const dispositions: ToldCall[] = []
  const activities = new Map<string, Activity>()
  let open: Delta[] = []
  for (const item of script.slice(0, position)) {
    if ('delta' in item) {
      open.push(item.delta)
      continue
    }
    const { commit } = item
    const { facts, after } = fold(commit, standing)
    standing = after
    dispositions.push(...facts.flatMap(toldCall))
    messages.push(...commit.messages)
    if (commit.inference) inferences.push(commit.inference)
    if (commit.snapshot !== undefined) {
      snapshot = commit.snapshot
      revision = commit.revision
    }
    for (const activity of commit.activities ?? []) {
      if (activity.replace !== false || !activities.has(keyOf(activity))) activities.set(keyOf(activity), activity)
    }
    pending = commit.pending ?? stillOpen(pending, standing)
    result = commit.result
    open = open.filter((delta) => isUncommittedPatch(delta, commit))
  }
  const committed = {
    messages,
    standing,
    ...(snapshot === undefined ? {} : { snapshot }),
    ...(revision === undefined ? {} : { revision }),
    ...(activities.size === 0 ? {} : { activities: [...activities.values()] }),
    ...(pending === undefined ? {} : { pending }),
    ...(inferences.length === 0 ? {} : { inferences }),
    ...(result === undefined ? {} : { result }),
    dispositions,
  }
  return { committed, open }
}

function toldCall(fact: Fact): readonly ToldCall[] {
  if (fact.type !== 'tool_call' || fact.message_id === undefined || fact.disposition === 'executed') return []
  const { id, message_id, disposition } = fact
  return [{ id, message_id, disposition }]
}

/** A result of another call leaves those waiting that somebody is asked about. */
function stillOpen(pending: readonly Pending[] = [], { openCalls }: Standing): readonly Pending[] | undefined {
  const waiting = pending.filter(({ tool_use_id }) => openCalls.some(({ id }) => id === tool_use_id))
  return waiting.length > 0 ? waiting : undefined
}

/** A commit in mid-step may leave a document to a later one: until then its patches are all there is of it. */
function isUncommittedPatch(delta: Delta, { snapshot, activities = [] }: Commit): boolean {
  if (delta.type === 'state_delta') return snapshot === undefined
  return delta.type === 'activity_delta' && !activities.some((activity) => keyOf(activity) === keyOf(delta))
}

export const keyOf = ({ message_id, activity_type }: Pick<Activity, 'message_id' | 'activity_type'>): string =>
  JSON.stringify([message_id, activity_type])

/** A delta, or the facts of one commit: what a transport does never tears a commit apart. */
export type Unit = readonly AgentEvent[]

/** The run in order, each commit folded. */
export function units({ script, before }: LiveRun, options: FoldOptions = {}): Unit[] {
  let standing = before
  return script.map((item): Unit => {
    if ('delta' in item) return [deltaEvent(item.delta)]
    const { facts, after } = fold(item.commit, standing, options)
    standing = after
    return facts.map(factEvent)
  })
}

/** The frames of a stream in groups, one an event: on the wire only the last frame of a group carries the number. */
export function groupsOf<Frame>(stream: readonly AgentEvent[], target: Transcoder<Frame>): Frame[][] {
  const groups: Frame[][] = []
  let unnumbered: Frame[] = []
  let unsettled = false
  for (const event of stream) {
    if (unsettled && (event.tier === 'delta' || event.event.type === 'run_started')) {
      unnumbered.push(...target.settled())
      unsettled = false
    }
    const frames = event.tier === 'delta' ? target.delta(event.event) : target.fact(event.event)
    unsettled ||= event.tier === 'fact'
    unnumbered.push(...frames)
    if (frames.length === 0) continue
    groups.push(unnumbered)
    unnumbered = []
  }
  groups.push([...unnumbered, ...target.settled(), ...target.close()])
  return groups
}

/** The stream of a client that joins before a position of the script, from a transcoder that was told so. */
export function joinedFrames<Frame>(run: LiveRun, position: number, target: Transcoder<Frame>): Frame[] {
  const frames = [...target.settled()]
  for (const unit of units(run).slice(position)) {
    for (const event of unit) {
      frames.push(...(event.tier === 'delta' ? target.delta(event.event) : target.fact(event.event)))
    }
    if (unit[0]?.tier === 'fact') frames.push(...target.settled())
  }
  return [...frames, ...target.close()]
}
