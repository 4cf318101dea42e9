/** The state and the activities of a run while patches change them: the patches as deltas, and what a commit says of them. */
import { type Activity, type Commit, type Delta, type Json, type JsonPatch, isJsonObject } from '@factwire/core'
import type { PatchPlan } from './plan.ts'

export interface Documents {
  /** The delta of a patch, which is applied; undefined where there is nothing to change. */
  patch(plan: PatchPlan): Delta | undefined
  setState(value: Json): void
  /** Begins an activity, or begins it anew. */
  begin(content: Json): void
  /** Begins one, or leaves the last as it is: what is told then must change nothing. */
  keep(content: Json): void
  /** What the next commit has to say: whatever was set or patched since the last one. */
  news(): Pick<Commit, 'snapshot' | 'revision' | 'activities'>
  /** Only what was set. A commit in mid-step says that, and leaves what is patched to the last one of the step. */
  begun(): Pick<Commit, 'activities'>
  state(): Json | undefined
}

interface Written {
  readonly message_id: string
  content: Json
  revision: number
  fresh: boolean
  patched: boolean
}

const ACTIVITY_TYPE = 'plan'

/** `patched`: the run has patches, so that what is told whole has to say which of them it holds. */
export function createDocuments(initial: Json | undefined, patched: boolean): Documents {
  let state = initial
  let stateChanged = false
  let revision = 0
  const activities: Written[] = []
  let kept: Activity | undefined

  /** The number says which patches are in it: a late one is not to be shown again. */
  const shown = ({ message_id, content, revision: held }: Written): Activity => ({
    message_id,
    activity_type: ACTIVITY_TYPE,
    content,
    ...(patched ? { revision: held } : {}),
  })

  function activitiesOf(told: readonly Written[]): Pick<Commit, 'activities'> {
    const all = [
      ...told.map(shown),
      ...(kept && !told.some(({ message_id }) => message_id === kept?.message_id) ? [kept] : []),
    ]
    kept = undefined
    return all.length > 0 ? { activities: all } : {}
  }

  function patchState(plan: PatchPlan): Delta | undefined {
    // Before anybody said what the state is, it is empty; null is a state.
    const change = changed(state === undefined ? {} : state, plan)
    if (!change) return undefined
    state = change.value
    stateChanged = true
    return { type: 'state_delta', delta: [change.patch], revision: revision++ }
  }

  function patchActivity(plan: PatchPlan): Delta | undefined {
    const activity = activities.at(-1)
    const change = activity && changed(activity.content, plan)
    if (!change || activity.fresh) return undefined
    activity.content = change.value
    activity.patched = true
    return {
      type: 'activity_delta',
      message_id: activity.message_id,
      activity_type: ACTIVITY_TYPE,
      patch: [change.patch],
      revision: activity.revision++,
    }
  }

  function begin(content: Json): void {
    const known = activities.length < 2 ? undefined : activities.shift()
    activities.push({
      message_id: known?.message_id ?? `activity-${activities.length}`,
      content,
      revision: known?.revision ?? 0,
      fresh: true,
      patched: false,
    })
  }

  return {
    state: () => state,
    patch: (plan) => (plan.of === 'state' ? patchState(plan) : patchActivity(plan)),
    setState(value) {
      state = value
      stateChanged = true
    },
    begin,
    keep(content) {
      const last = activities.at(-1)
      if (!last) begin(content)
      // What has changed since the last commit is told whole.
      else if (!last.fresh && !last.patched) kept = { ...shown({ ...last, content }), replace: false }
    },
    news() {
      const told = activities.filter(({ fresh, patched }) => fresh || patched)
      const news = {
        ...(stateChanged && state !== undefined ? { snapshot: state, ...(patched ? { revision } : {}) } : {}),
        ...activitiesOf(told),
      }
      stateChanged = false
      for (const activity of told) activity.fresh = activity.patched = false
      return news
    },
    begun() {
      const told = activities.filter(({ fresh }) => fresh)
      for (const activity of told) activity.fresh = activity.patched = false
      return activitiesOf(told)
    },
  }
}

interface Change {
  readonly patch: JsonPatch
  readonly value: Json
}

/** Written by hand, so that nothing that applies patches has a say in what they mean. */
function changed(value: Json, { how, key, value: news }: PatchPlan): Change | undefined {
  if (!isJsonObject(value))
    return { patch: { op: 'replace', path: '', value: { [key]: news } }, value: { [key]: news } }
  switch (how) {
    case 'set':
      return { patch: { op: 'add', path: `/${escaped(key)}`, value: news }, value: { ...value, [key]: news } }
    case 'append': {
      const log = value['log']
      if (!Array.isArray(log))
        return { patch: { op: 'add', path: '/log', value: [news] }, value: { ...value, log: [news] } }
      return { patch: { op: 'add', path: '/log/-', value: news }, value: { ...value, log: [...log, news] } }
    }
    case 'remove': {
      if (!Object.hasOwn(value, key)) return undefined
      const { [key]: _gone, ...rest } = value
      return { patch: { op: 'remove', path: `/${escaped(key)}` }, value: rest }
    }
  }
}

const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1')
