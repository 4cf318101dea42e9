/** One assistant message while it is read: deltas at once, and its content once it is complete. */
import {
  type ContentBlock,
  type Delta,
  fragments,
  type Fragments,
  type Message,
  type ThinkingBlock,
} from '@factwire/core'
import { type CommittedCall, committed, type ReadCall } from './read-call.ts'

export interface Draft {
  readonly id: string
  /** Opens a text or a thought: what is said next goes there. */
  text(): TextPart
  thought(): ThoughtPart
  add(call: ReadCall): void
  say(part: TextPart, piece: string): void
  think(part: ThoughtPart, piece: string): void
  /** Nothing more is said in it: what waited for it is shown. */
  close(part: TextPart | ThoughtPart): void
  args(call: ReadCall, piece: string): void
  /** Of a call whose arguments came with its beginning, and nothing after it. */
  settle(call: ReadCall): void
  calls(): readonly CommittedCall[]
  /** Undefined where it says nothing: a thread has no use for an empty message. */
  message(): Message | undefined
}

interface SaidPart {
  text: string
  /** What waits until those before it are closed: a message has one text, and one thought. */
  waiting: string
  closed: boolean
}
export interface TextPart extends SaidPart {
  readonly type: 'text'
}
export interface ThoughtPart extends SaidPart {
  readonly type: 'thinking'
  signature: string
  encrypted: string
}
type Part = TextPart | ThoughtPart | { readonly type: 'call'; readonly call: ReadCall }

export function draftOf(id: string, show: (delta: Delta) => void): Draft {
  const parts: Part[] = []
  const texts = line(({ text, offset }) => show({ type: 'text_delta', delta: text, message_id: id, offset }))
  const thoughts = line(({ text, offset }) => show({ type: 'reasoning_delta', delta: text, message_id: id, offset }))
  const args = new Map<ReadCall, Fragments>()

  function write(call: ReadCall, piece: string): void {
    const { text, offset } = args.get(call)?.next(piece) ?? { text: '', offset: 0 }
    if (text !== '') show(callDelta(call, text, offset))
  }

  function callDelta({ id: callId, name, runsElsewhere }: ReadCall, args_delta: string, offset: number): Delta {
    const disposition = runsElsewhere ? ({ disposition: 'executed' } as const) : {}
    return { type: 'tool_call_delta', id: callId, name, args_delta, message_id: id, offset, ...disposition }
  }

  return {
    id,
    text() {
      const part: TextPart = { type: 'text', text: '', waiting: '', closed: false }
      parts.push(part)
      texts.add(part)
      return part
    },
    thought() {
      const part: ThoughtPart = {
        type: 'thinking',
        text: '',
        waiting: '',
        closed: false,
        signature: '',
        encrypted: '',
      }
      parts.push(part)
      thoughts.add(part)
      return part
    },
    add(call) {
      parts.push({ type: 'call', call })
      args.set(call, fragments())
      show(callDelta(call, '', 0))
    },
    say: texts.say,
    think: thoughts.say,
    close(part) {
      part.closed = true
      if (part.type === 'text') texts.release()
      else thoughts.release()
    },
    args(call, piece) {
      call.args += piece
      write(call, piece)
    },
    settle(call) {
      if (call.args !== '' || call.given === undefined) return
      call.args = call.given
      write(call, call.args)
    },
    calls: () => parts.flatMap((part) => (part.type === 'call' ? [committed(part.call)] : [])),
    message() {
      const content = joined(parts).flatMap(blocksOf)
      return content.length === 0 ? undefined : { id, role: 'assistant', content }
    },
  }
}

interface Line {
  add(part: SaidPart): void
  say(part: SaidPart, piece: string): void
  /** Shows what waits, part by part, up to the first that is not closed. */
  release(): void
}

/** Parts that are shown as one text, in the order in which they were begun. */
function line(show: (fragment: { readonly text: string; readonly offset: number }) => void): Line {
  const parts: SaidPart[] = []
  const shown = fragments()
  let front = 0

  function release(): void {
    for (let part = parts[front]; part; part = parts[++front]) {
      const fragment = shown.next(part.waiting)
      part.waiting = ''
      if (fragment.text !== '') show(fragment)
      if (!part.closed) return
    }
  }

  return {
    add: (part) => void parts.push(part),
    say(part, piece) {
      part.text += piece
      part.waiting += piece
      if (part === parts[front]) release()
    },
    release,
  }
}

/** A seal that stands alone is that of the thought before it, where that has none: who streams knows it only afterwards. */
function joined(parts: readonly Part[]): readonly Part[] {
  const whole: Part[] = []
  let unsealed: ThoughtPart | undefined
  for (const part of parts) {
    if (part.type !== 'thinking') {
      whole.push(part)
      continue
    }
    if (unsealed && part.text === '') {
      unsealed.signature ||= part.signature
      unsealed.encrypted ||= part.encrypted
    } else {
      const copy = { ...part }
      whole.push(copy)
      unsealed = copy.text === '' || copy.signature !== '' ? undefined : copy
    }
  }
  return whole
}

function blocksOf(part: Part): ContentBlock[] {
  switch (part.type) {
    case 'text':
      return part.text === '' ? [] : [{ type: 'text', text: part.text }]
    case 'thinking':
      return thinkingBlocks(part)
    case 'call': {
      const { id, name, input, raw_input } = committed(part.call)
      return [{ type: 'tool_use', id, name, input, ...(raw_input === undefined ? {} : { raw_input }) }]
    }
  }
}

function thinkingBlocks({ text, signature, encrypted }: ThoughtPart): ThinkingBlock[] {
  if (text === '' && signature === '' && encrypted === '') return []
  const sealed = { ...(signature === '' ? {} : { signature }), ...(encrypted === '' ? {} : { encrypted }) }
  return [{ type: 'thinking', text, ...sealed }]
}
