/**
 * The blocks of an answer, by their index, as parts of the message that is being read.
 *
 * What a delta says counts, not what its block was said to be: servers that translate other wires mix them up.
 */
import {
  type Commit,
  type Delta,
  isObject,
  type Message,
  type OpenCall,
  type Pending,
  type ToolResultBlock,
} from '@factwire/core'
import { type Draft, draftOf, type TextPart, type ThoughtPart } from './draft.ts'
import { type CommittedCall, givenInput, type ReadCall, uniqueIds } from './read-call.ts'
import { isResultType, resultBlock } from './read-result.ts'
import type { BlockDelta, BlockStart, BlockStop, ReadBlock, ReadDelta } from './wire.ts'

export interface AnswerOptions {
  /** Id of the message where the provider gives it none. Default `message`. */
  readonly messageId?: string
  /** Ids of calls that the thread has already: a call that comes with one of them gets another. */
  readonly usedCallIds?: Iterable<string>
}

export interface Answer {
  start(frame: BlockStart): void
  delta(frame: BlockDelta): void
  stop(frame: BlockStop): void
  /** Something was said. */
  readonly begun: boolean
  /** What was said and is not committed yet. */
  close(): Said
}

export interface Said {
  readonly message: Message | undefined
  readonly results: readonly Message[]
  /** Calls that have no result, of this message and those before it. */
  readonly openCalls: readonly OpenCall[]
  /** Those of them that the client is to run. */
  readonly pending: readonly Pending[]
  /** Ids of those that the client was to run, and nobody can. */
  readonly unusable: readonly string[]
  /** A call came without a name. */
  readonly nameless: boolean
}

type OpenBlock =
  | { readonly kind: 'said'; readonly part: TextPart | ThoughtPart }
  | { readonly kind: 'call'; readonly call: ReadCall }
  | { readonly kind: 'ignored' }

const RUNNING = { type: 'running' } as const

export function answerOf(
  { messageId = 'message', usedCallIds = [] }: AnswerOptions,
  responseId: () => string,
  give: (item: Delta | Commit) => void,
): Answer {
  const blocks = new Map<unknown, OpenBlock>()
  const unique = uniqueIds(usedCallIds)
  let draft: Draft | undefined
  let messages = 0
  /** Results wait while a block of their message is open. */
  let results: ToolResultBlock[] = []
  /** Calls without result, by the provider's ids. */
  const running = new Map<string, ReadCall[]>()
  let openCalls: OpenCall[] = []
  const pending: Pending[] = []
  const unusable: string[] = []
  let nameless = false
  let begun = false

  function writable(): Draft {
    draft ??= draftOf(nextId(), give)
    return draft
  }

  function nextId(): string {
    const id = responseId() || messageId
    return ++messages === 1 ? id : `${id}-${messages}`
  }

  // ── Blocks ──

  function start({ index, content_block }: BlockStart): void {
    if (!isObject(content_block)) return
    const block: ReadBlock = content_block
    const type = typeof block.type === 'string' ? block.type : ''
    const before = blocks.get(index)
    // A block that begins twice is one.
    if (before?.kind === 'call' && before.call.wireId === block.id) return
    begun = true
    if (isResultType(type)) return addResult(index, block)
    end(before)
    flush()
    blocks.set(index, opened(type, block))
  }

  function opened(type: string, block: ReadBlock): OpenBlock {
    switch (type) {
      case 'text':
        return said(textPart(), wordOf(block.text))
      case 'thinking': {
        const part = writable().thought()
        part.signature = wordOf(block.signature)
        return said(part, wordOf(block.thinking))
      }
      case 'redacted_thinking': {
        const sealed = writable().thought()
        sealed.encrypted = wordOf(block.data)
        writable().close(sealed)
        return { kind: 'ignored' }
      }
      case 'tool_use':
      case 'server_tool_use':
      case 'mcp_tool_use':
        return called(block, type !== 'tool_use')
      default:
        return { kind: 'ignored' }
    }
  }

  const textPart = (): TextPart => writable().text()

  function said(part: TextPart | ThoughtPart, text: string): OpenBlock {
    if (text !== '') say(part, text)
    return { kind: 'said', part }
  }

  function say(part: TextPart | ThoughtPart, piece: string): void {
    if (part.type === 'text') writable().say(part, piece)
    else writable().think(part, piece)
  }

  function called({ id, name, input }: ReadBlock, runsElsewhere: boolean): OpenBlock {
    const word = wordOf(name)
    if (word === '') {
      nameless = true
      return { kind: 'ignored' }
    }
    const wireId = wordOf(id)
    const again = runsElsewhere ? undefined : running.get(wireId)?.find((call) => call.name === word)
    // The client is to run it after all.
    if (again) {
      pending.push({ tool_use_id: again.id, kind: 'client' })
      return { kind: 'ignored' }
    }
    const into = writable()
    const call: ReadCall = {
      id: unique(wireId || `call_${into.id}_${into.calls().length}`),
      wireId,
      name: word,
      runsElsewhere,
      given: givenInput(input, runsElsewhere),
      args: '',
    }
    into.add(call)
    if (runsElsewhere) running.set(wireId, [...(running.get(wireId) ?? []), call])
    return { kind: 'call', call }
  }

  function delta({ index, delta: raw }: BlockDelta): void {
    if (!isObject(raw)) return
    const { type, text, thinking, signature, partial_json }: ReadDelta = raw
    switch (type) {
      case 'text_delta':
        return grow(index, 'text', wordOf(text))
      case 'thinking_delta':
        return grow(index, 'thinking', wordOf(thinking))
      case 'signature_delta': {
        const part = partOf(index, 'thinking')
        if (part?.type === 'thinking') part.signature = wordOf(signature)
        return
      }
      case 'input_json_delta': {
        const block = blocks.get(index)
        const piece = wordOf(partial_json)
        if (block?.kind !== 'call' || piece === '') return
        return draft?.args(block.call, piece)
      }
      default:
        return
    }
  }

  function grow(index: unknown, type: 'text' | 'thinking', piece: string): void {
    const part = partOf(index, type)
    if (!part || piece === '') return
    begun = true
    say(part, piece)
  }

  /** Where text or a thought of a block goes. Some servers forget to begin a block, or begin one of another kind. */
  function partOf(index: unknown, type: 'text' | 'thinking'): TextPart | ThoughtPart | undefined {
    const block = blocks.get(index)
    if (block?.kind === 'ignored' || block?.kind === 'call') return undefined
    if (block?.part.type === type) return block.part
    end(block)
    flush()
    const part = type === 'text' ? textPart() : writable().thought()
    blocks.set(index, { kind: 'said', part })
    return part
  }

  /** Nothing more is said in it. */
  function end(block: OpenBlock | undefined): void {
    if (block?.kind === 'said') draft?.close(block.part)
  }

  function stop({ index }: BlockStop): void {
    const block = blocks.get(index)
    if (block?.kind === 'call') draft?.settle(block.call)
    end(block)
    blocks.delete(index)
    flush()
  }

  // ── Results ──

  function addResult(index: unknown, block: ReadBlock): void {
    const wireId = wordOf(block.tool_use_id)
    const [call, ...others] = running.get(wireId) ?? []
    running.set(wireId, others)
    blocks.set(index, { kind: 'ignored' })
    // One that answers a call of an earlier answer is kept: whoever has the thread knows the call.
    results.push(resultBlock(call?.id ?? wireId, block))
  }

  const isWriting = (): boolean => [...blocks.values()].some(({ kind }) => kind !== 'ignored')

  /** What comes after a result is of another message: commits the one that has results, and them. */
  function flush(): void {
    if (results.length === 0 || isWriting()) return
    const { message, results: told } = take()
    if (message) give({ messages: [message], state: RUNNING, ...(pending.length > 0 ? { pending } : {}) })
    if (told.length > 0) give({ messages: told, state: RUNNING })
  }

  function take(): Pick<Said, 'message' | 'results'> {
    for (const block of blocks.values()) if (block.kind === 'call') draft?.settle(block.call)
    const message = draft?.message()
    if (message) draft?.calls().forEach((call) => open(call, message.id))
    const answered = new Set(results.map(({ tool_use_id }) => tool_use_id))
    openCalls = openCalls.filter(({ id }) => !answered.has(id))
    const told = results.map((result): Message => ({
      id: `tool-${result.tool_use_id}`,
      role: 'tool',
      content: [result],
    }))
    draft = undefined
    results = []
    return { message, results: told }
  }

  function open({ id, name, runsElsewhere, usable }: CommittedCall, message_id: string): void {
    openCalls.push({ id, name, message_id })
    if (runsElsewhere) return
    if (usable) pending.push({ tool_use_id: id, kind: 'client' })
    else unusable.push(id)
  }

  return {
    start,
    delta,
    stop,
    get begun() {
      return begun
    },
    close: () => ({ ...take(), openCalls, pending, unusable, nameless }),
  }
}

const wordOf = (value: unknown): string => (typeof value === 'string' ? value : '')
