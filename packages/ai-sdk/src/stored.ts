/** The stored messages of one UI message as the chunks that build it: for a client that joins. */
import { type Disposition, type Message, type NamedCall, none, textOf, type ThinkingBlock } from '@factwire/core'
import { toldCall } from './calls.ts'
import { isHeld, wholeCall, writtenCall } from './held.ts'
import { outputFrames } from './output.ts'
import { textId, thoughtId } from './part-names.ts'
import { isShown } from './turn.ts'
import { aside, type Target, type ToolInputAvailableChunk, type UiFrame } from './wire.ts'

export interface StoredTurn {
  readonly frames: readonly UiFrame[]
  readonly steps: number
  /** Its last step waits for results. */
  readonly open: boolean
  /** The calls of that step that the client is to run once the run waits for them. */
  readonly held: readonly ToolInputAvailableChunk[]
}

export interface StoredOptions {
  readonly target: Target
  readonly reasoning: boolean
  /** The calls that have no result. */
  readonly open: readonly NamedCall[]
}

export function storedFrames(messages: readonly Message[], options: StoredOptions): StoredTurn {
  const told: UiFrame[] = []
  const shown = messages.filter((message) => isShown(message, options.reasoning))
  const waits = ({ id }: Message): boolean => options.open.some(({ message_id }) => message_id === id)
  const dispositions = new Map(options.open.map(({ wireId, disposition = 'executed' }) => [wireId, disposition]))
  const last = shown.at(-1)
  const open = last !== undefined && waits(last)
  const held: ToolInputAvailableChunk[] = []
  for (const message of messages) {
    const step = shown.indexOf(message)
    if (step > 0) told.push({ type: 'finish-step' })
    if (step >= 0) {
      told.push({ type: 'start-step' }, aside('step', { message_id: message.id }))
      told.push(...stepFrames(message, step, options, dispositions, open && message === last ? held : undefined))
    }
    for (const block of message.content) {
      if (block.type === 'tool_result') told.push(...outputFrames(block.tool_use_id, block, options.target, false))
    }
  }
  return { frames: last && !open ? [...told, { type: 'finish-step' }] : told, steps: shown.length, open, held }
}

/** As whoever was there had seen it: text in one part, where its first piece stood. `held` takes what may still be held. */
function stepFrames(
  { content }: Message,
  step: number,
  { target, reasoning }: StoredOptions,
  dispositions: ReadonlyMap<string, Disposition>,
  held: ToolInputAvailableChunk[] | undefined,
): readonly UiFrame[] {
  const text = textOf(content.filter(({ type }) => type === 'text'))
  let spoken = text === ''
  let thoughts = 0
  return content.flatMap((block, index): readonly UiFrame[] => {
    switch (block.type) {
      case 'thinking': {
        const thought = thoughtAt(content, index)
        if (!reasoning || thought === '') return none
        thoughts++
        const id = thoughtId(step, thoughts)
        return [
          { type: 'reasoning-start', id },
          { type: 'reasoning-delta', id, delta: thought },
          { type: 'reasoning-end', id },
        ]
      }
      case 'text': {
        if (spoken || block.text === '') return none
        spoken = true
        const id = textId(step)
        return [
          { type: 'text-start', id },
          { type: 'text-delta', id, delta: text },
          { type: 'text-end', id },
        ]
      }
      case 'tool_use': {
        const disposition = dispositions.get(block.id) ?? 'executed'
        if (!held || !isHeld(block, disposition, target)) return toldCall(block.id, block, disposition, target)
        held.push(wholeCall(block.id, block))
        return writtenCall(block.id, block)
      }
      default:
        return none
    }
  })
}

/** Thoughts that follow one another are one: all of it at the first, nothing at the others. */
export function thoughtAt(content: Message['content'], index: number): string {
  if (content[index - 1]?.type === 'thinking') return ''
  const rest = content.slice(index)
  const end = rest.findIndex(({ type }) => type !== 'thinking')
  const run = end < 0 ? rest : rest.slice(0, end)
  return run.map((block) => (block as ThinkingBlock).text).join('')
}
