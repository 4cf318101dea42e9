/** The chunks of one answer: where texts join to one, which number a call has, and what rides beside. */
import { type Fact, none, type RunContext, type Turn } from '@factwire/core'
import { pieceChunks } from './piece-chunk.ts'
import {
  type ChatFinishReason,
  type ChunkHead,
  type ExtendedChunk,
  type WrittenDelta,
  type WrittenFrame,
  CHUNK,
} from './wire.ts'

/** Between the texts of two messages, which are one text to a client. */
export const BETWEEN = '\n\n'

export interface Sending {
  readonly head: ChunkHead
  chunk(delta: WrittenDelta, finish?: ChatFinishReason): WrittenFrame
  /** Text of a turn, set off from that of another. */
  say(turn: Turn, text: string): WrittenFrame
  think(field: 'reasoning_content' | 'reasoning', turn: Turn, text: string): WrittenFrame
  /** Text was sent in other ways: what follows is set off from it. */
  spoken(): void
  /** A call begins. It has the next number. */
  begin(id: string, name: string): WrittenFrame
  /** Arguments of a call that was begun. */
  write(id: string, args: string): WrittenFrame
  /** The calls that were begun, by their ids. */
  readonly begun: ReadonlyMap<string, unknown>
  /** What only a client of the extension reads, where any other client sees an empty delta. */
  aside(fact: Fact): readonly WrittenFrame[]
}

export function createSending({ runId, startedAt = 0, model, agentId }: RunContext, extension?: string): Sending {
  const head: ChunkHead = {
    id: `chatcmpl-${runId}`,
    object: CHUNK,
    created: Math.floor(startedAt / 1000),
    model: model ?? agentId ?? 'agent',
  }
  const contentOf = pieceChunks(head, (content) => ({ content }))
  const thoughtOf = {
    reasoning_content: pieceChunks(head, (thought) => ({ reasoning_content: thought })),
    reasoning: pieceChunks(head, (thought) => ({ reasoning: thought })),
  }
  /** The turns whose text and whose reasoning were sent last. */
  let speaking: Turn | undefined
  let thinking: Turn | undefined
  let spoke = false
  /** The calls that were begun: each makes its own pieces. */
  const calls = new Map<string, (args: string) => WrittenFrame>()

  function chunk(delta: WrittenDelta, finish: ChatFinishReason | null = null): WrittenFrame {
    const { id, object, created, model: named } = head
    return { id, object, created, model: named, choices: [{ index: 0, delta, finish_reason: finish }] }
  }

  return {
    head,
    chunk,

    say(turn, text) {
      const content = spoke && speaking !== turn ? BETWEEN + text : text
      speaking = turn
      spoke = true
      return contentOf(content)
    },

    think(field, turn, text) {
      const piece = thinking === undefined || thinking === turn ? text : BETWEEN + text
      thinking = turn
      return thoughtOf[field](piece)
    },

    spoken() {
      spoke = true
    },

    begin(id, name) {
      const index = calls.size
      calls.set(
        id,
        pieceChunks(head, (args) => ({ tool_calls: [{ index, function: { arguments: args } }] })),
      )
      return chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] })
    },

    write: (id, args) => calls.get(id)?.(args) ?? chunk({}),

    begun: calls,

    aside(fact) {
      if (extension === undefined) return none
      const extended: ExtendedChunk = {
        ...head,
        choices: [{ index: 0, delta: {}, finish_reason: null }],
        [extension]: fact,
      }
      return [extended]
    },
  }
}
