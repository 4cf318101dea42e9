/**
 * The messages of a run and their calls while flat events tell them: what is complete becomes a commit.
 *
 * Everything is written to the items that the caller hands in, in order.
 */
import {
  type Commit,
  type Delta,
  type Inference,
  type Json,
  type Message,
  type OpenCall,
  type Pending,
  type ToolResult,
  callsOf,
  createOpenCalls,
} from '@factwire/core'
import { type CommittedDocuments, isBare, together } from './committed-documents.ts'
import { createDraft, type Draft } from './draft.ts'
import { pendingOf } from './ending.ts'
import { given } from './given.ts'
import { type CallResult, resultMessage, resultOf } from './result.ts'
import { flatMessages } from './parse-messages.ts'
import { callsOf as toolCallsOf, resultsOf } from './snapshot.ts'
import { isContent, retelling, type ToldEvent } from './retelling.ts'
import { newStep, type Step } from './step.ts'

export type Items = (Delta | Commit)[]

export const RUNNING = { type: 'running' } as const

export interface Steps {
  /** The message being written. */
  writable(items: Items): Draft
  draft(): Draft | undefined
  /** The same, where what comes for it says nothing else: it is not complete, and nothing is told once more. */
  current(): Draft | undefined
  /** What an event says for the first time; undefined when it only says something once more. */
  news(event: ToldEvent): ToldEvent | undefined
  /** A step has begun, and its end was not told. */
  open(): boolean
  start(messageId: string, items: Items): void
  end(): void
  reset(reason: string, items: Items): void
  /** Commits the message being written. */
  commit(items: Items): void
  /** Commits a message that only waited to hear what comes after it. */
  release(items: Items): void
  /** Whether it is told for the first time. */
  inferred(inference: Inference, items: Items): boolean
  /** Snapshots and patches of the run's documents. Those that come while a message is written follow it. */
  document(item: Delta | CommittedDocuments, items: Items): void
  ready(id: string, name: string, input: Json, items: Items): void
  done(id: string, messageId: string, result: ToolResult, items: Items): void
  resumed(id: string, result: CallResult, items: Items): void
  /** The tool runs: the message that called it is complete. */
  runs(id: string, items: Items): void
  cancel(id: string, name: string, reason: string, items: Items): void
  /**
   * Takes the message being written. `whole`: its calls are open from here on, and those without arguments are dropped.
   */
  take(part: 'whole' | 'partial', items: Items): TakenMessage
  openCalls(): readonly OpenCall[]
  /** Whether any call is open. */
  waiting(): boolean
  pending(): readonly Pending[]
  snapshot(messages: readonly unknown[], items: Items): void
}

export interface TakenMessage {
  readonly message?: Message
  readonly inference?: Inference
  readonly documents: CommittedDocuments
  readonly later: readonly (Delta | Commit)[]
}

export function createSteps(runId: () => string): Steps {
  let draft: Draft | undefined
  let step: Step | undefined
  /** Assistant messages so far. */
  let count = 0
  const openCalls = createOpenCalls()
  const pending = new Map<string, Pending>()
  /** Calls of this step that have their result. */
  const settled = new Set<string>()

  const derivedId = (): string => `${runId()}-assistant-${count}`
  const isOpen = (id: string): boolean => openCalls.find(id) !== undefined
  const isSettled = (id: string): boolean => settled.has(id) && !isOpen(id) && !draft?.call(id)

  function writable(items: Items): Draft {
    release(items)
    if (draft) return draft
    if (!step?.open || step.begun) step = newStep(derivedId())
    step.begun = true
    draft = createDraft(step.id, 'first')
    count++
    return draft
  }

  function release(items: Items): void {
    if (draft?.complete) commit(items)
  }

  function commit(items: Items): void {
    const { message, inference, documents, later } = take('whole', items)
    if (!message && !inference && isBare(documents)) return
    const waiting = message ? callsOf(message).flatMap(({ id }) => pending.get(id) ?? []) : []
    items.push({
      messages: message ? [message] : [],
      state: RUNNING,
      ...given('pending', waiting.length === 0 ? undefined : waiting),
      ...given('inference', inference),
      ...documents,
    })
    items.push(...later)
  }

  function take(part: 'whole' | 'partial', items: Items): TakenMessage {
    if (!draft) return { documents: {}, later: [] }
    if (part === 'whole' || draft.complete) dropUnfinished(draft, items)
    const message = draft.message()
    const { documents, later } = draft
    const taken = { ...given('message', message), ...given('inference', draft.inference), documents, later }
    if (part === 'whole' && message) openCalls.add(callsOf(message))
    if (step?.id === draft.id) {
      step.committed = true
      step.message = message
    }
    draft = undefined
    return taken
  }

  function reset(reason: string, items: Items): void {
    if (step) {
      step.open = true
      step.retold = step.committed ? retelling(step.message) : undefined
      if (step.committed && !draft) return
    }
    if (draft) {
      const { id, inference, documents, later } = draft
      draft = createDraft(id, 'again')
      draft.inference = inference
      draft.documents = documents
      draft.later = later
    }
    items.push({ type: 'stream_reset', reason })
  }

  /** Only a snapshot waits for the message, and what would overtake it. */
  function document(item: Delta | CommittedDocuments, items: Items): void {
    const patch = 'type' in item
    if (!draft || (patch && isBare(draft.documents))) {
      items.push(patch ? item : { messages: [], state: RUNNING, ...item })
    } else if (
      patch ||
      draft.later.length > 0 ||
      (draft.documents.snapshot !== undefined && item.snapshot !== undefined)
    ) {
      draft.later = [...draft.later, patch ? item : { messages: [], state: RUNNING, ...item }]
    } else draft.documents = together(draft.documents, item)
  }

  function giveResult(id: string, messageId: string, result: CallResult, items: Items): void {
    runs(id, items)
    // One result answers one call, the earliest of its id.
    openCalls.answer(id)
    settled.add(id)
    pending.delete(id)
    items.push({ messages: [resultMessage(id, messageId, result)], state: RUNNING })
  }

  function runs(id: string, items: Items): void {
    if (draft?.call(id)) commit(items)
    else release(items)
  }

  return {
    writable,
    draft: () => draft,
    current: () => (draft?.complete || step?.retold ? undefined : draft),
    open: () => step?.open ?? false,
    news(event) {
      if (!step?.retold) return event
      const news = step.retold.news(event)
      if (news && isContent(news)) step.retold = undefined
      return news
    },
    commit,
    release,
    reset,
    take(part, items) {
      if (draft?.complete && draft.later.length > 0) commit(items)
      return take(part, items)
    },
    runs,
    openCalls: openCalls.all,
    waiting: openCalls.any,
    pending: () => [...pending.values()],
    start(messageId, items) {
      if (step && messageId === step.id) {
        // Told twice, it begins anew.
        step.open = true
        if (step.committed || (draft && !draft.blank())) reset('the step began again', items)
        return
      }
      commit(items)
      settled.clear()
      const id = messageId || derivedId()
      if (step?.open && step.id === id) return
      step = newStep(id)
      items.push({ type: 'step_started', message_id: id })
    },
    end() {
      if (draft) draft.complete = true
      if (!step) return
      step.open = false
      step.retold = undefined
    },
    inferred(inference, items) {
      if (step?.retold && step.inferred) return false
      if (step) step.inferred = true
      release(items)
      if (!draft) {
        items.push({ messages: [], state: RUNNING, inference })
        return true
      }
      // From before a reset: either it is told again, or it was a model call of its own.
      const earlier = draft.inference
      const isNew = !earlier || JSON.stringify(earlier) !== JSON.stringify(inference)
      if (earlier && isNew) items.push({ messages: [], state: RUNNING, inference: earlier })
      draft.inference = inference
      draft.complete = true
      return isNew
    },
    document,
    ready(id, name, input, items) {
      // Between messages it is told of a call that is made already.
      if (!draft && isOpen(id) && (!step?.open || step.committed)) return
      const into = draft?.call(id) ? draft : writable(items)
      into.ready(id, name, input)
    },
    done(id, messageId, result, items) {
      if (isSettled(id)) return
      draft?.made(id)
      if (result.status !== 'pending') {
        giveResult(id, messageId, resultOf(result), items)
        return
      }
      pending.set(id, pendingOf(id, result.suspension))
      if (draft?.call(id)) draft.complete = true
    },
    resumed(id, result, items) {
      if (!isSettled(id)) giveResult(id, '', result, items)
    },
    cancel(id, name, reason, items) {
      if (draft?.call(id)) {
        draft.drop(id)
        items.push({ type: 'tool_call_cancelled', id, name, reason })
      } else if (isOpen(id)) {
        const content = reason === '' ? [] : [{ type: 'text', text: reason } as const]
        giveResult(id, '', { content, isError: true, cancelled: true }, items)
      }
    },
    snapshot(told, items) {
      commit(items)
      const messages = flatMessages(told)
      const resolved = new Set(messages.flatMap(resultsOf).map(({ id }) => id))
      const stored = messages.flatMap((message) =>
        toolCallsOf(message).map(({ id, name }): OpenCall => ({ id, name, message_id: message.id ?? '' })),
      )
      openCalls.add(stored.filter(({ id }) => !resolved.has(id) && !isOpen(id)))
      count = Math.max(count, messages.filter(({ role }) => role === 'assistant').length)
    },
  }
}

/** Calls whose arguments never came will not be made. */
function dropUnfinished(draft: Draft, items: Items): void {
  for (const { id, name, arguments: input } of draft.calls()) {
    if (input !== undefined) continue
    draft.drop(id)
    items.push({ type: 'tool_call_cancelled', id, name, reason: 'its arguments never came' })
  }
}
