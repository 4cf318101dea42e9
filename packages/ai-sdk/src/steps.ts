/**
 * What the steps of a stream commit: the message that is being told, results that wait for the rest of it, and which calls have none yet.
 */
import {
  type Commit,
  type Delta,
  type Message,
  type OpenCall,
  type Pending,
  type RunState,
  type ToolResultBlock,
  callsOf,
  createOpenCalls,
} from '@factwire/core'
import { approvalOf, createDraft, type Draft, type DraftCall } from './draft.ts'

export type Items = (Delta | Commit)[]

export interface Steps {
  /** The message that is being told. */
  readonly draft: Draft | undefined
  /** That one, or the next. */
  writable(): Draft
  /** What ids are made of where the stream gives a message none. */
  answer(id: string): void
  /** What the stream tells of the id of the next message. */
  name(id: string | undefined): void
  /** Gives up what the step has told. */
  takeBack(): void
  begin(items: Items): void
  end(items: Items): void
  commitMessage(items: Items): void
  commitResult(block: ToolResultBlock, items: Items): void
  /** A message stands before what came of its calls. `all`: nothing more of it comes. */
  commitResults(items: Items, all?: boolean): void
  /** The message that was told and is not committed; it is not told any more. */
  rest(): Message | undefined
  /** A call is told whole that was committed without an end of its arguments. */
  endsLate(id: string, providerExecuted: boolean): boolean
  /** Somebody else runs a call. */
  execute(id: string): void
  ask(id: string, approval: string): void
  /** Arguments of a call that nobody has answered have no end. */
  isCut(): boolean
  openCalls(): readonly OpenCall[]
  /** Calls that nobody else runs, and what they wait for. */
  unanswered(): readonly Pending[]
}

/** Whose a stream is, and its calls. */
export interface Whose {
  /** A stream of this package says who runs a call. */
  isOwn(): boolean
  isClients(call: DraftCall): boolean
}

export const RUNNING: RunState = { type: 'running' }

export function createSteps({ isOwn, isClients }: Whose): Steps {
  const open = createOpenCalls()
  /** What the calls that have no result wait for. */
  const waiting = new Map<string, Pending>()
  /** Calls that somebody else runs. */
  const executed = new Set<string>()
  /** Calls whose arguments have no end: nobody is to run them. */
  const cut = new Set<string>()
  /** Results that came while something of their message was still being written. */
  let results: ToolResultBlock[] = []
  let draft: Draft | undefined
  let named: string | undefined
  let answer = 'message'
  let count = 0
  /** What the step has shown was taken back. */
  let takenBack = false

  /** More of the message may come. A stream of this package tells a call of the client whole only once the run waits for it. */
  const isWriting = (): boolean => draft !== undefined && !isOwn() && (draft.isOpen() || draft.cut().length > 0)

  function commitMessage(items: Items): void {
    const told = draft
    draft = undefined
    const message = told?.message()
    if (!told || !message) return
    for (const id of told.cut()) cut.add(id)
    const pending = told.pending(isClients)
    for (const entry of pending) waiting.set(entry.tool_use_id, entry)
    open.add(callsOf(message))
    items.push({ messages: [message], state: RUNNING, ...(pending.length > 0 ? { pending } : {}) })
  }

  function commitResults(items: Items, all = false): void {
    if (results.length === 0 || (isWriting() && !all)) return
    const told = results
    results = []
    // A stream of this package may tell the result of an earlier message while the next one is written, which is not over by that.
    if (!isOwn() || told.some(({ tool_use_id }) => draft?.calls.has(tool_use_id))) commitMessage(items)
    for (const block of told) {
      open.answer(block.tool_use_id)
      waiting.delete(block.tool_use_id)
      items.push({ messages: [{ id: `tool-${block.tool_use_id}`, role: 'tool', content: [block] }], state: RUNNING })
    }
  }

  function end(items: Items): void {
    commitResults(items, true)
    commitMessage(items)
  }

  return {
    get draft() {
      return draft
    },
    writable() {
      draft ??= createDraft(named ?? `${answer}-${count++}`, !takenBack)
      named = undefined
      return draft
    },
    answer(id) {
      answer = id
    },
    name(id) {
      named = id
    },
    takeBack() {
      draft = undefined
      results = []
      takenBack = true
    },
    begin(items) {
      end(items)
      takenBack = false
    },
    end,
    commitMessage,
    commitResult(block, items) {
      results.push(block)
      commitResults(items)
    },
    commitResults,
    rest() {
      const message = draft?.message()
      draft = undefined
      return message
    },
    endsLate(id, providerExecuted) {
      if (!cut.delete(id)) return false
      if (providerExecuted) waiting.delete(id)
      return true
    },
    execute: (id) => executed.add(id),
    ask(id, approval) {
      const call = draft?.calls.get(id)
      if (call) call.approval = approval
      else if (open.find(id)) waiting.set(id, approvalOf(id, approval))
    },
    isCut: () => (draft?.cut().length ?? 0) > 0 || [...cut].some((id) => open.find(id)),
    openCalls: () => open.all(),
    unanswered() {
      const told = [...(draft?.calls.values() ?? [])].flatMap((call): Pending[] => {
        if (call.approval !== undefined) return [approvalOf(call.id, call.approval)]
        return call.executed ? [] : [{ tool_use_id: call.id, kind: 'client' }]
      })
      const before = open.all().flatMap(({ id }): Pending[] => {
        const entry = waiting.get(id)
        return entry ? [entry] : executed.has(id) ? [] : [{ tool_use_id: id, kind: 'client' }]
      })
      return [...before, ...told]
    },
  }
}
