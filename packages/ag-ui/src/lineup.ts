/**
 * The messages that are being written, in the order in which they began: which of them an event belongs to, and when one is
 * complete and becomes a commit.
 *
 * Only the first is shown, because a message's fragments come after all of the message before. Everything is written to the items
 * that the caller hands in, in order.
 */
import type { Message } from '@factwire/core'
import { createCalls, type Calls } from './calls.ts'
import { createCommitted } from './committed.ts'
import { createDraft, type Draft, type DraftCall, type EarlyResult, type Items } from './draft.ts'
import { messageIdOf } from './history.ts'
import { createMemory } from './memory.ts'
import {
  dropUnfinished,
  GONE,
  hasResult,
  isInDoubt,
  isOnlyGivenUp,
  keepGivenUp,
  keepOpen,
  reopen,
} from './unfinished.ts'
import type { AgUiMessage, ToolCall } from './wire-message.ts'

export interface CallStart {
  readonly id: string
  readonly name: string
  readonly parent: string | undefined
  readonly owner: string | undefined
}

export interface Lineup {
  readonly calls: Calls
  /** What was there before the first event of the run. */
  remember(messages: readonly AgUiMessage[]): void
  drafts(): readonly Draft[]
  /** The only draft, where nothing waits to become of it what the next event decides. */
  current(): Draft | undefined
  /** The draft of a message id. */
  find(wireId: string): Draft | undefined
  /** The same; it begins where it is not there. */
  text(wireId: string, role: Draft['role'], owner: string | undefined, items: Items): Draft
  /** The draft that a thought belongs to, as far as one can tell yet. */
  thought(id: string, owner: string | undefined, items: Items): Draft
  /** False for a call that is only said once more. */
  startCall(call: CallStart, items: Items): boolean
  withCall(id: string): Draft | undefined
  withThought(id: string): Draft | undefined
  nameOf(callId: string): string
  /** The tool runs, so the message that called it is complete. */
  runs(callId: string, items: Items): void
  /** Something of a draft has ended. */
  ended(draft: Draft, items: Items): void
  /** False for a call that has its result. */
  result(early: EarlyResult, items: Items): boolean
  /** Commits what only waited for a snapshot that would take it back, and takes back what the snapshot did. */
  settle(items: Items): void
  /** Commits messages whose step is over and whose calls might still have become pending, unless what follows goes on with it. */
  release(items: Items, wireId?: string): void
  endStep(): void
  startStep(name: string, items: Items): void
  /** The open step is named after a message: then all that comes before its end belongs to that message. */
  inOwnStep(): boolean
  /** Commits whatever is complete up to a draft, or all. */
  commitQuiet(items: Items): void
  commitMessage(message: Message, items: Items): void
  rename(draft: Draft, wireId: string, items: Items): void
  /** A message of that id is committed. */
  isCommitted(wireId: string): boolean
  /** Takes the last message that is being written, after all before it are committed. `whole`: what has no end is dropped. */
  take(part: 'whole' | 'partial', items: Items): Message | undefined
}

export function createLineup(isClientTool: (name: string) => boolean): Lineup {
  const calls = createCalls()
  const memory = createMemory()
  let drafts: readonly Draft[] = []
  const committed = createCommitted(calls, isClientTool)
  let step: { readonly name: string; own: boolean } | undefined

  const find = (wireId: string): Draft | undefined => drafts.find((draft) => draft.wireId() === wireId)
  const withCall = (id: string): Draft | undefined => drafts.findLast((draft) => draft.calls.has(id))

  function begin(role: Draft['role'], owner: string | undefined, items: Items): Draft {
    const draft = createDraft(role, owner)
    drafts = [...drafts, draft]
    if (drafts.length === 1) items.push(...draft.show())
    return draft
  }

  function name(draft: Draft, wireId: string, items: Items): void {
    draft.name(wireId, committed.next(wireId))
    calls.nextMessage()
    const known = memory.take(wireId)
    if (known) items.push(...draft.recall(known.content ?? '', (known.toolCalls ?? []).map(recalledCall)))
    if (step?.name !== wireId || step.own) return
    step.own = true
    if (draft === drafts[0]) items.push({ type: 'step_started', message_id: draft.id() ?? wireId })
  }

  /** Thoughts that nobody had claimed turn out to belong to a message that is there. */
  function claimThoughts(draft: Draft, items: Items): void {
    const last = drafts.at(-1)
    if (!last || last === draft || last.wireId() !== undefined || last.owner !== draft.owner) return
    drafts = drafts.slice(0, -1)
    items.push(...draft.absorb(last))
  }

  function open(wireId: string, role: Draft['role'], owner: string | undefined, items: Items): Draft {
    const known = find(wireId)
    if (known) {
      claimThoughts(known, items)
      return known
    }
    const last = drafts.at(-1)
    const unnamed = last && last.wireId() === undefined && last.owner === owner && role === 'assistant'
    const draft = unnamed ? last : begin(role, owner, items)
    name(draft, wireId, items)
    advance(items)
    return draft
  }

  /** A message is complete when nothing of it is open and another has begun. */
  function advance(items: Items): void {
    while (drafts[1]?.wireId() !== undefined && drafts[0]?.quiet() && !isInDoubt(drafts[0])) commitFirst(items)
  }

  function commitFirst(items: Items): void {
    const [draft, next] = drafts
    if (!draft) return
    drafts = drafts.slice(1)
    const message = draft.message()
    if (message) committed.message(message, items, draft)
    for (const early of draft.results) committed.result(early, items)
    if (next) items.push(...next.show())
  }

  /** Text may go on after the calls; arguments may not. */
  function commitResults(draft: Draft, items: Items): void {
    if (draft.results.length > 0 && [...draft.calls.values()].every((call) => call.ended)) commitUpTo(draft, items)
  }

  function commitQuiet(items: Items): void {
    takeBack(items)
    while (drafts[0]?.quiet()) commitFirst(items)
  }

  function takeBack(items: Items): void {
    const [first] = drafts
    for (const draft of drafts) if (draft.gone && !draft.quiet()) keepOpen(draft, items)
    if (!drafts.some((draft) => draft.gone)) return
    drafts = drafts.filter((draft) => !draft.gone)
    if (!first?.gone) return
    items.push({ type: 'stream_reset', reason: GONE })
    items.push(...(drafts[0]?.show() ?? []))
  }

  /** Commits a draft and all before it, unless something of those is open. */
  function commitUpTo(draft: Draft, items: Items): void {
    while (drafts[0] && drafts[0] !== draft && drafts[0].quiet() && !isInDoubt(drafts[0])) commitFirst(items)
    if (drafts[0] === draft) commitFirst(items)
  }

  function parentOf({ id, parent, owner }: CallStart, items: Items): Draft {
    if (parent !== undefined && (find(parent)?.role ?? 'assistant') === 'assistant') {
      return open(parent, 'assistant', owner, items)
    }
    // Without a parent it is one message with what stands before it: a client would show one for each call.
    const last = drafts.findLast((draft) => draft.wireId() !== undefined && draft.owner === owner)
    if (!last || last.complete || last.role !== 'assistant') return open(id, 'assistant', owner, items)
    claimThoughts(last, items)
    return last
  }

  function thinking(id: string, owner: string | undefined, items: Items): Draft {
    const last = drafts.findLast((draft) => draft.owner === owner && draft.role === 'assistant')
    const named = find(messageIdOf(id))
    if (named) return named
    if (last && (last.wireId() === undefined || !last.quiet())) return last
    const draft = begin('assistant', owner, items)
    if (step?.name === messageIdOf(id) && !committed.has(step.name)) {
      name(draft, step.name, items)
      advance(items)
    }
    return draft
  }

  return {
    calls,
    remember(messages) {
      // What has results is complete: what comes for its id is another message.
      for (const id of memory.set(messages)) if (!committed.has(id)) committed.count(id)
    },
    drafts: () => drafts,
    current() {
      const draft = drafts[0]
      if (!draft || drafts.length > 1 || draft.gone || draft.complete || draft.results.length > 0) return undefined
      return draft
    },
    find,
    text: open,
    thought(id, owner, items) {
      const draft = thinking(id, owner, items)
      const known = draft.thoughts.has(id) ? undefined : memory.takeThought(id)
      if (known) items.push(...draft.addThought(id, known))
      return draft
    },
    startCall(call, items) {
      const known = withCall(call.id)?.calls.get(call.id)
      if (known) return reopen(known)
      const earlier = calls.find(call.id)
      const again = call.parent === undefined || call.parent === earlier?.message_id
      if ((earlier && again) || calls.isSettledIn(call.id, call.parent) || memory.isAnswered(call.id, call.parent)) {
        return false
      }
      const draft = parentOf(call, items)
      const recalled = draft.calls.get(call.id)
      if (recalled) return reopen(recalled)
      items.push(...draft.startCall(call.id, call.name, isClientTool(call.name)))
      return true
    },
    withCall,
    withThought: (id) => drafts.findLast((draft) => draft.thoughts.has(id)),
    nameOf: (callId) => withCall(callId)?.calls.get(callId)?.name ?? calls.nameOf(callId) ?? '',
    runs(callId, items) {
      const draft = withCall(callId)
      if (draft?.quiet()) commitUpTo(draft, items)
    },
    ended(draft, items) {
      if (!isInDoubt(draft)) commitResults(draft, items)
      advance(items)
    },
    result(early, items) {
      const id = early.block.tool_use_id
      const draft = withCall(id)
      if (!draft) {
        if (calls.isSettled(id) && !calls.find(id)) return false
        committed.result(early, items)
        return true
      }
      if (hasResult(draft, id)) return false
      draft.results = [...draft.results, early]
      if (!isInDoubt(draft)) commitResults(draft, items)
      return true
    },
    settle(items) {
      takeBack(items)
      for (const draft of drafts) {
        if (!isInDoubt(draft)) continue
        keepGivenUp(draft)
        if (!isOnlyGivenUp(draft)) commitResults(draft, items)
      }
      while (drafts[0]?.complete && drafts[0].calls.size === 0) commitFirst(items)
    },
    release(items, wireId) {
      while (drafts[0]?.complete && drafts[0].wireId() !== wireId) commitFirst(items)
    },
    startStep(stepName, items) {
      step = { name: stepName, own: false }
      // Its message was open when the stream was joined, though perhaps nothing of it is said again.
      if (memory.has(stepName)) open(stepName, 'assistant', undefined, items)
    },
    inOwnStep: () => step?.own === true,
    endStep() {
      step = undefined
      for (const draft of drafts) if (draft.quiet()) draft.complete = true
    },
    commitQuiet,
    commitMessage(message, items) {
      commitQuiet(items)
      committed.message(message, items)
    },
    rename: name,
    isCommitted: committed.has,
    take(part, items) {
      takeBack(items)
      if (part === 'whole') for (const draft of drafts) dropUnfinished(draft, items)
      while (drafts.length > 1) commitFirst(items)
      const [draft] = drafts
      if (!draft) return undefined
      if (draft.results.length > 0) {
        commitFirst(items)
        return undefined
      }
      drafts = []
      const message = draft.message()
      if (message) committed.count(draft.wireId() ?? message.id)
      return message
    },
  }
}

/** Whether it goes on is told by a start that comes again. */
function recalledCall({ id, function: { name, arguments: text } }: ToolCall): DraftCall {
  return { id, name, client: false, text, ended: true }
}
