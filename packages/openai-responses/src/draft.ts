/** One assistant message that is being read: its items, and what was shown of them. */
import type { ContentBlock, Delta, Disposition } from '@factwire/core'
import { inputOf, type Runner } from './called.ts'
import { type Entry, thoughtOf } from './entry.ts'

export interface Draft {
  /** Of the message. Fixed when it is first needed: what was shown under it stays. */
  id: string
  readonly entries: Entry[]
  /** UTF-16 units that were shown. */
  text: number
  thought: number
  /** What was shown is not the truth's beginning: nothing more of it is shown. */
  textBroken: boolean
  thoughtBroken: boolean
}

export const newDraft = (): Draft => ({
  id: '',
  entries: [],
  text: 0,
  thought: 0,
  textBroken: false,
  thoughtBroken: false,
})

/** An item says it: a message has its id, and a thought is named after its message by many servers. */
export function nameIn({ entries }: Draft): string {
  for (const { type, id } of entries) {
    if (type === 'message' && id !== '') return id
    if (type === 'reasoning' && id.startsWith('rs_')) return id.slice('rs_'.length)
  }
  return ''
}

/** Between two parts of a thought. */
const BETWEEN = '\n\n'

/** Of the part that a piece is of. */
export interface PartState {
  /** What was shown of it is not its beginning. */
  readonly broken: boolean
  /** Nothing was said in it before. */
  readonly first: boolean
}

/** A piece of an item's text. */
export function textDelta(draft: Draft, piece: string, broken: boolean): Delta | undefined {
  draft.textBroken ||= broken
  if (piece === '' || draft.textBroken) return undefined
  const offset = draft.text
  draft.text += piece.length
  return { type: 'text_delta', delta: piece, message_id: draft.id, offset }
}

export function thoughtDelta(
  draft: Draft,
  entry: Entry,
  piece: string,
  { broken, first }: PartState,
): Delta | undefined {
  draft.thoughtBroken ||= broken
  if (piece === '' || draft.thoughtBroken) return undefined
  const delta = first && entry.shown > 0 ? BETWEEN + piece : piece
  const offset = draft.thought
  draft.thought += delta.length
  entry.shown += delta.length
  return { type: 'reasoning_delta', delta, message_id: draft.id, offset }
}

const DISPOSITIONS: Readonly<Record<Runner, Disposition | undefined>> = {
  client: 'pending_client',
  approval: 'pending_builtin',
  server: 'executed',
  output: 'executed',
}

/** What is held of a call. Its first one announces it. */
export function callDelta(draft: Draft, entry: Entry, name: string): Delta | undefined {
  const { kind, held } = entry
  if (!kind || (entry.announced && held === '')) return undefined
  const disposition = DISPOSITIONS[kind.runner]
  const offset = entry.shown
  entry.announced = true
  entry.shown += held.length
  entry.held = ''
  return {
    type: 'tool_call_delta',
    id: entry.callId,
    name,
    args_delta: held,
    message_id: draft.id,
    offset,
    ...(disposition === undefined ? {} : { disposition }),
  }
}

/** The content of the message, in the order of its items. */
export function contentOf({ entries }: Draft): ContentBlock[] {
  return entries.flatMap((entry): readonly ContentBlock[] => {
    if (entry.type === 'reasoning') return thinking(entry)
    if (!entry.kind) return entry.texts.all().flatMap(({ text }) => (text === '' ? [] : [{ type: 'text', text }]))
    if (!entry.announced) return []
    const { input, raw_input } = inputOf(entry.args.text, entry.kind.free)
    const name = entry.kind.nameOf(entry.fields)
    return [{ type: 'tool_use', id: entry.callId, name, input, ...(raw_input === undefined ? {} : { raw_input }) }]
  })
}

/** What is encrypted goes back with the id that it came under. */
function thinking(entry: Entry): ContentBlock[] {
  const text = thoughtOf(entry)
  const encrypted = entry.fields['encrypted_content']
  if (typeof encrypted !== 'string' || encrypted === '') return text === '' ? [] : [{ type: 'thinking', text }]
  return [{ type: 'thinking', text, ...(entry.id === '' ? {} : { signature: entry.id }), encrypted }]
}
