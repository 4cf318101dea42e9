/**
 * What a snapshot of the conversation says of the messages of this run.
 *
 * It is the truth of what is still being written. Of what came before it only makes known; but results that nobody has sent yet,
 * and messages after one of this run, are the run's own.
 */
import { argumentsTail, tailOf, type ThinkingBlock } from '@factwire/core'
import type { Draft, DraftCall, Items } from './draft.ts'
import type { Lineup } from './lineup.ts'
import { resultOf, storedMessage, thinkingBlock } from './stored.ts'
import type { AgUiMessage, AssistantMessage } from './wire-message.ts'

/** What is known of the conversation as it was before the run. */
export interface Earlier {
  readonly ids: ReadonlySet<string>
  /** A snapshot said so, and not just the request, which need not have held all of it. */
  readonly complete: boolean
}

export function reconcile(messages: readonly AgUiMessage[], lineup: Lineup, earlier: Earlier, items: Items): void {
  const byId = new Map(messages.map((message) => [message.id, message]))
  for (const draft of lineup.drafts()) correctDraft(draft, byId, lineup, items)
  let own = false
  let thoughts: readonly ThinkingBlock[] = []
  const lastEarlier = messages.findLastIndex(({ id }) => earlier.ids.has(id))
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') takeResult(message, lineup, items)
    else if (message.role === 'reasoning') thoughts = [...thoughts, thinkingBlock(message)]
    else if (isOwn(message, lineup)) own = true
    else if (message.role === 'assistant' && !earlier.ids.has(message.id)) {
      if (!own && !earlier.complete && (lastEarlier < 0 || index < lastEarlier)) continue
      const stored = storedMessage(message, thoughts)
      if (stored && stored.content.length > 0) lineup.commitMessage(stored, items)
    }
    if (message.role !== 'reasoning') thoughts = []
  }
}

/** Results that answer a call of this run, and were in no event. */
export function takeResult(message: AgUiMessage, lineup: Lineup, items: Items): void {
  if (message.role !== 'tool') return
  const { id, toolCallId, metadata } = message
  if (!lineup.calls.find(toolCallId) && !lineup.withCall(toolCallId)) return
  lineup.result({ messageId: id, storedId: metadata?.factwire?.message_id, block: resultOf(message) }, items)
}

/** Some servers give a message another id once it is stored; its calls keep theirs. */
function isOwn(message: AgUiMessage, lineup: Lineup): boolean {
  if (lineup.isCommitted(message.id) || lineup.find(message.id)) return true
  if (message.role !== 'assistant') return false
  return message.toolCalls?.some(({ id }) => lineup.calls.made(id) || lineup.withCall(id)) ?? false
}

function correctDraft(draft: Draft, byId: ReadonlyMap<string, AgUiMessage>, lineup: Lineup, items: Items): void {
  if (draft.role !== 'assistant') return
  const wireId = draft.wireId()
  const wasBlank = draft.blank()
  const rethought = correctThoughts(draft, byId)
  const stored = (wireId === undefined ? undefined : byId.get(wireId)) ?? renamed(draft, byId, lineup)
  if (stored?.role === 'assistant') {
    draft.gone = false
    forgetGivenUp(draft, byId)
    if (stored.id !== wireId) lineup.rename(draft, stored.id, items)
    items.push(...correct(draft, stored, rethought || stored.id !== wireId))
  } else if (draft.blank() ? !wasBlank : isSaid(draft)) {
    draft.gone = true
  } else if (rethought) items.push(...draft.showAgain(CORRECTED))
}

const CORRECTED = 'the snapshot says something else'

/** A client has it as a message, which thoughts alone are not. */
function isSaid(draft: Draft): boolean {
  return draft.text() !== '' || draft.calls.size > 0
}

function correctThoughts(draft: Draft, byId: ReadonlyMap<string, AgUiMessage>): boolean {
  let changed = false
  for (const id of new Set(draft.thoughts.parts().map((part) => part.id))) {
    const stored = byId.get(id)
    if (stored?.role === 'reasoning' && draft.thoughts.correct(id, stored.content)) changed = true
  }
  return changed
}

/** That a call was given up was said only until the snapshot could say what became of it. */
function forgetGivenUp(draft: Draft, byId: ReadonlyMap<string, AgUiMessage>): void {
  draft.results = draft.results.filter(({ block, messageId }) => !block.cancelled || byId.has(messageId))
}

/** The message that has the calls of a draft, or exactly its text, under an id that nobody has met. */
function renamed(draft: Draft, byId: ReadonlyMap<string, AgUiMessage>, lineup: Lineup): AssistantMessage | undefined {
  if (!isSaid(draft)) return undefined
  return [...byId.values()].findLast((message): message is AssistantMessage => {
    if (message.role !== 'assistant' || lineup.isCommitted(message.id) || lineup.find(message.id)) return false
    if (draft.calls.size > 0) return message.toolCalls?.some(({ id }) => draft.calls.has(id)) ?? false
    return message.content === draft.text()
  })
}

/** Brings a draft to what a snapshot says, by what is missing or else as a new item. */
function correct(draft: Draft, stored: AssistantMessage, changed: boolean): Items {
  const { content = '', toolCalls = [] } = stored
  const ids = new Set(toolCalls.map(({ id }) => id))
  const items: Items = []
  for (const call of draft.calls.values()) {
    if (ids.has(call.id)) continue
    items.push(...draft.dropCall(call, 'the snapshot takes it back'))
    draft.results = draft.results.filter(({ block }) => block.tool_use_id !== call.id)
  }
  const inOrder = [...draft.calls.keys()].every((id, index) => toolCalls[index]?.id === id)
  const tail = tailOf([draft.text()], content)
  const tails = toolCalls.map((call) => argumentsTail([draft.calls.get(call.id)?.text ?? ''], call.function.arguments))
  if (changed || !inOrder || tail === undefined || tails.includes(undefined)) {
    draft.correct(
      content,
      toolCalls.map(({ id, function: { name, arguments: text } }): DraftCall => {
        const known = draft.calls.get(id)
        return { id, name, client: known?.client ?? false, text, ended: known?.ended ?? true }
      }),
    )
    return [...items, ...draft.showAgain(CORRECTED)]
  }
  items.push(...draft.addText(tail))
  for (const [index, { id, function: made }] of toolCalls.entries()) {
    const fresh = !draft.calls.has(id)
    if (fresh) items.push(...draft.startCall(id, made.name, false))
    const call = draft.calls.get(id)
    if (!call) continue
    items.push(...draft.addArguments(call, tails[index] ?? ''))
    if (fresh) call.ended = true
  }
  return items
}
