/** The committed thread of a run as it grows, and any moment of it that somebody still stands at. */
import type {
  Activity,
  Committed,
  Fact,
  Inference,
  Json,
  Message,
  Pending,
  RunContext,
  Standing,
  ToldCall,
} from '@factwire/core'
import type { Opened, Step } from './store.ts'

/** The thread as it was after one commit. Cheap: the messages are shared with all later moments. */
export interface Moment {
  /** How many steps there were. */
  readonly revision: number
  /** Number of the last fact, -1 before the first. */
  readonly lastFact: number
  readonly standing: Standing
  /** What a transcoder of its segment is told of the run. */
  readonly context: RunContext
  committed(): Committed
}

/** What a commit that told anything has left. */
export interface Mark {
  /** Numbers of its first and last fact. */
  readonly first: number
  readonly last: number
  /** The run waits. */
  readonly waits: boolean
  /** Calls have no result yet. */
  readonly open: boolean
  /** The first delta of a message before it, as its step has it. */
  readonly opened: Opened | null | undefined
  /** It tells of the message that was opened. */
  readonly tellsOpened: boolean
}

export interface ThreadView {
  readonly now: Moment
  /** Of all commits with facts, in their order. */
  readonly marks: readonly Mark[]
  /** Units of JSON that its messages are, its documents, and the model calls of its last segment; and 64 for each commit. */
  readonly units: number
  /** Number of the first fact of the last segment, 0 before the first. */
  readonly segmentStart: number
  /** Number of the first fact of the segment that a fact belongs to. */
  segmentOf(seq: number): number
  /** What a transcoder is told of the run in the segment that a fact belongs to. */
  contextAt(seq: number): RunContext
  /** A fact that begins a segment: what its transcoder is told of the run. */
  begin(seq: number): RunContext
  add(step: Step): Moment
}

interface Segment {
  readonly from: number
  /** How many messages are its history. */
  readonly told: number
}

interface Documents {
  readonly snapshot?: Json
  readonly revision?: number
  readonly activities: ReadonlyMap<string, Activity>
  readonly pending?: readonly Pending[]
  readonly result?: Json
}

export function threadView(run: RunContext): ThreadView {
  /** Only grows, so that a moment is a length. */
  const messages: Message[] = [...(run.history ?? [])]
  const segments: Segment[] = [{ from: 0, told: messages.length }]
  /** Of the last segment. */
  let context = run
  let documents: Documents = { activities: new Map() }
  /** The model calls of the last segment. Only grows, too, and is another one for another segment. */
  let inferences: Inference[] = []
  let inferenceUnits = 0
  /** The calls that the agent does not just run. Only grows. */
  const dispositions: ToldCall[] = []
  const marks: Mark[] = []
  const unitsOfDocuments = measuring()
  let documentUnits = 0
  let units = unitsOf(messages)
  let now = moment(0, -1, { openCalls: [] })

  function segmentAt(seq: number): Segment {
    return segments.findLast(({ from }) => from <= seq) ?? FIRST
  }

  function moment(revision: number, lastFact: number, standing: Standing): Moment {
    const count = messages.length
    const calls = inferences
    const called = calls.length
    const disposed = dispositions.length
    const then = documents
    return {
      revision,
      lastFact,
      standing,
      context,
      committed: () => ({
        ...committed(messages.slice(0, count), calls.slice(0, called), standing, then),
        dispositions: dispositions.slice(0, disposed),
      }),
    }
  }

  function note(fact: Fact): void {
    if (fact.type === 'run_started') {
      inferences = []
      inferenceUnits = 0
    } else if (fact.type === 'inference_completed') {
      const { type: _, ...inference } = fact
      inferences.push(inference)
      inferenceUnits += unitsOf([inference])
    } else if (fact.type === 'tool_call' && fact.message_id !== undefined && fact.disposition !== 'executed') {
      const { id, message_id, disposition } = fact
      dispositions.push({ id, message_id, disposition })
    }
  }

  return {
    get now() {
      return now
    },
    marks,
    get units() {
      return units + inferenceUnits + documentUnits + now.revision * COMMIT
    },
    get segmentStart() {
      return segments.at(-1)?.from ?? 0
    },
    segmentOf: (seq) => segmentAt(seq).from,
    contextAt(seq) {
      const segment = segmentAt(seq)
      if (segment === segments.at(-1)) return context
      return segment.from === 0 ? run : { ...run, history: messages.slice(0, segment.told) }
    },
    begin(seq) {
      // A run that goes on after it had waited is told its history, which has grown.
      if (now.lastFact < 0) return run
      segments.push({ from: seq, told: messages.length })
      context = { ...run, history: [...messages] }
      return context
    },
    add(step) {
      const { commit, facts, after } = step
      messages.push(...commit.messages)
      units += unitsOf(commit.messages)
      documents = grown(documents, step)
      documentUnits = unitsOfDocuments(documents)
      for (const { fact } of facts) note(fact)
      if (facts.length > 0) marks.push(markOf(step))
      now = moment(now.revision + 1, facts.at(-1)?.seq ?? now.lastFact, after)
      return now
    },
  }
}

function markOf({ commit, facts, after, opened }: Step): Mark {
  return {
    first: facts[0]?.seq ?? -1,
    last: facts.at(-1)?.seq ?? -1,
    waits: after.state?.type === 'awaiting',
    open: after.openCalls.length > 0,
    opened,
    tellsOpened: commit.messages.some(({ id }) => id === opened?.message),
  }
}

const FIRST: Segment = { from: 0, told: 0 }
/** What a commit takes beside what it says. */
const COMMIT = 64

/** Documents seldom change, and may be long: each is measured once. */
function measuring(): (documents: Documents) => number {
  let known = new Map<unknown, number>()
  return ({ snapshot, pending, result, activities }) => {
    const values = [snapshot, pending, result, ...activities.values()].filter((value) => value !== undefined)
    known = new Map(values.map((value) => [value, known.get(value) ?? JSON.stringify(value).length]))
    return [...known.values()].reduce((sum, units) => sum + units, 0)
  }
}

const unitsOf = (told: readonly object[]): number => (told.length === 0 ? 0 : JSON.stringify(told).length)

function grown(before: Documents, { commit, after }: Step): Documents {
  const { snapshot, revision, activities, result } = commit
  const pending = commit.pending ?? stillOpen(before.pending, after)
  const told = new Map(before.activities)
  for (const activity of activities ?? []) {
    if (activity.replace !== false || !told.has(keyOf(activity))) told.set(keyOf(activity), activity)
  }
  return {
    ...(snapshot === undefined
      ? stateOf(before)
      : stateOf({ snapshot, ...(revision === undefined ? {} : { revision }) })),
    activities: activities ? told : before.activities,
    ...(pending ? { pending } : {}),
    ...(result === undefined ? {} : { result }),
  }
}

function stateOf({ snapshot, revision }: Pick<Documents, 'snapshot' | 'revision'>): Pick<Documents, 'snapshot'> {
  return { ...(snapshot === undefined ? {} : { snapshot }), ...(revision === undefined ? {} : { revision }) }
}

/** Of those that a commit before was told to wait for, the ones that no result has come for. */
function stillOpen(before: readonly Pending[] | undefined, { openCalls }: Standing): readonly Pending[] | undefined {
  const pending = before?.filter(({ tool_use_id }) => openCalls.some(({ id }) => id === tool_use_id)) ?? []
  return pending.length > 0 ? pending : undefined
}

const keyOf = ({ message_id, activity_type }: Activity): string => JSON.stringify([message_id, activity_type])

function committed(
  messages: readonly Message[],
  inferences: readonly Inference[],
  standing: Standing,
  documents: Documents,
): Committed {
  const { activities, ...rest } = documents
  return {
    messages,
    standing,
    ...rest,
    ...(activities.size === 0 ? {} : { activities: [...activities.values()] }),
    ...(inferences.length === 0 ? {} : { inferences }),
  }
}
