/**
 * A UI message stream in, deltas as they arrive and commits when something is complete out. It reads the AI SDK's own servers, of any
 * major, and this package's, which say more.
 *
 * A step is an assistant message and the results of its calls. What is said in a step behind a result is a message of its own.
 */
import {
  type Commit,
  type Decoder,
  type Delta,
  type EndCause,
  endRun,
  type Failure,
  type Inference,
  isCommit,
  isObject,
  type Json,
  type JsonObject,
  none,
  type RunContext,
} from '@factwire/core'
import { readAside } from './asides.ts'
import { type DraftCall, type Spoken, writtenAs } from './draft.ts'
import { abortedIn, type Ending, endingOf, failureIn, inferenceIn } from './read-ending.ts'
import { blocksIn } from './blocks.ts'
import { contentOf, errorOf, resultOf } from './output.ts'
import { parsed } from './parsed.ts'
import { sealIn } from './seal.ts'
import { createSteps, type Items, RUNNING } from './steps.ts'
import {
  DONE,
  type FinishChunk,
  type ProviderMetadata,
  type TextDeltaChunk,
  type TextEndChunk,
  type TextStartChunk,
  type ToolInputAvailableChunk,
  type ToolInputErrorChunk,
  type UiChunk,
  type UiFrame,
} from './wire.ts'

export interface AiSdkDecoderOptions {
  /** Names of the tools that the client runs: a stream of the AI SDK's own server does not say whose a call is. */
  readonly clientTools?: Iterable<string>
}

type Metadata = { readonly [name: string]: unknown }

const SPOKEN: Readonly<Record<(TextStartChunk | TextDeltaChunk | TextEndChunk)['type'], Spoken>> = {
  'text-start': 'text',
  'text-delta': 'text',
  'text-end': 'text',
  'reasoning-start': 'reasoning',
  'reasoning-delta': 'reasoning',
  'reasoning-end': 'reasoning',
}

const TRUNCATED: Failure = { code: 'stream_truncated', message: 'the stream ended before its end' }

export function decoder({ clientTools }: AiSdkDecoderOptions = {}): Decoder<UiFrame> {
  const ofClient = new Set(clientTools)
  /** Calls that were given up: no message made them. */
  const dropped = new Set<string>()
  /** What was said to approvals, by their ids. */
  const reasons = new Map<string, string>()
  let run: Partial<RunContext> = {}
  /** A stream of this package says who runs a call. */
  let own = false
  let begun = false
  let over = false
  /** Something was called at all. */
  let called = false
  let metadata: Metadata = {}

  /** A call of the client that this package wrote is not told whole before the run waits for it. */
  const isReadable = ({ input, text }: DraftCall): boolean =>
    input ? input.readable : own && (text.trim() === '' || parsed(text) !== undefined)
  const isClients = (call: DraftCall): boolean => !call.executed && isReadable(call) && (own || ofClient.has(call.name))

  const steps = createSteps({ isOwn: () => own, isClients })

  // ── Calls ──

  function available(chunk: ToolInputAvailableChunk | ToolInputErrorChunk, items: Items): void {
    const { toolCallId, toolName, input, providerExecuted, providerMetadata } = chunk
    const known = steps.draft?.calls.get(toolCallId)
    if (providerMetadata?.['factwire']?.['given_up'] === true) {
      dropped.add(toolCallId)
      if (!known) return
      steps.writable().drop(known)
      items.push({ type: 'tool_call_cancelled', id: toolCallId, name: known.name, reason: 'it was given up' })
      return
    }
    called = true
    // It was committed meanwhile.
    if (!known && steps.endsLate(toolCallId, providerExecuted === true)) return
    const { call, begun: announced } = steps.writable().call(toolCallId, toolName)
    items.push(...announced)
    const readable = chunk.type === 'tool-input-available' || typeof input !== 'string'
    call.input = { value: input, readable }
    call.executed ||= providerExecuted === true || chunk.type === 'tool-input-error'
    if (call.text !== '' && readable && writtenAs(call.text, input) === undefined) {
      items.push({ type: 'tool_call_cancelled', id: toolCallId, name: toolName, reason: 'its arguments are others' })
    } else if (call.text === '') {
      const text = typeof input === 'string' && !readable ? input : JSON.stringify(input)
      items.push(...steps.writable().args(call, text))
      // As if it had never been written: the value is all there is.
      if (readable) call.text = ''
    }
    // An error is all that its server says of such a call; ours says what came of it.
    if (chunk.type === 'tool-input-error' && !own) {
      steps.commitResult(errorOf(toolCallId, chunk.errorText, undefined, blocksIn), items)
    }
  }

  const factwire = (given: ProviderMetadata | undefined): JsonObject | undefined => given?.['factwire']

  // ── The end ──

  function close(cause: EndCause, items: Items, more: Partial<Commit> = {}): void {
    over = true
    steps.commitResults(items, true)
    const partial = steps.rest()
    const standing = { state: RUNNING, openCalls: steps.openCalls() }
    items.push({ ...endRun(standing, cause, partial), ...inference(), ...more })
  }

  function closeAs({ cause, result }: Extract<Ending, { readonly type: 'ended' }>, items: Items): void {
    close(cause, items, result === undefined ? {} : { result })
  }

  /** As a client has it in the end, as far as it is looked at. */
  function learn(told: unknown): void {
    if (isObject(told)) metadata = { ...metadata, ...told }
  }

  const inference = (): { readonly inference?: Inference } => inferenceIn(metadata)

  function fail(failure: Failure, items: Items): void {
    close({ type: 'error', failure }, items)
  }

  function finish(chunk: FinishChunk, items: Items): void {
    if (chunk.messageMetadata !== undefined) learn(chunk.messageMetadata)
    steps.commitResults(items, true)
    if (steps.isCut()) {
      fail({ code: 'stream_truncated', message: 'the arguments of a call have no end' }, items)
      return
    }
    const ending = endingOf(chunk, { called, open: steps.unanswered() })
    if (ending.type === 'ended') {
      closeAs(ending, items)
      return
    }
    over = true
    const message = steps.rest()
    const { pending } = ending
    items.push({ messages: message ? [message] : [], state: { type: 'awaiting' }, pending, ...inference() })
  }

  // ── Chunks ──

  function read(chunk: UiChunk, items: Items): void {
    switch (chunk.type) {
      case 'start':
        if (chunk.messageId !== undefined) steps.answer(chunk.messageId)
        return
      case 'start-step':
        steps.begin(items)
        return
      case 'finish-step':
        steps.end(items)
        steps.name(undefined)
        return
      case 'reset-step':
        if (!steps.draft) return
        steps.takeBack()
        items.push({ type: 'stream_reset', reason: 'the step was taken back' })
        return
      case 'text-delta':
      case 'reasoning-delta':
        items.push(...steps.writable().say(SPOKEN[chunk.type], chunk.id, chunk.delta))
        return
      case 'text-start':
      case 'reasoning-start':
        steps.writable().begin(SPOKEN[chunk.type], chunk.id, sealIn(chunk.providerMetadata))
        return
      case 'text-end':
      case 'reasoning-end': {
        const seal = sealIn(chunk.providerMetadata)
        if (steps.draft || seal) items.push(...steps.writable().end(SPOKEN[chunk.type], chunk.id, seal))
        steps.commitResults(items)
        return
      }
      case 'tool-input-start': {
        called = true
        const { call, begun: announced } = steps.writable().call(chunk.toolCallId, chunk.toolName)
        call.executed ||= chunk.providerExecuted === true
        items.push(...announced)
        return
      }
      case 'tool-input-available':
      case 'tool-input-error':
        available(chunk, items)
        if (chunk.providerExecuted) steps.execute(chunk.toolCallId)
        steps.commitResults(items)
        return
      case 'tool-approval-request':
        if (!chunk.isAutomatic) steps.ask(chunk.toolCallId, chunk.approvalId)
        return
      case 'tool-approval-response':
        reasons.set(chunk.approvalId, chunk.reason ?? '')
        return
      case 'tool-output-available':
        if (!chunk.preliminary) {
          steps.commitResult(
            resultOf(chunk.toolCallId, chunk.output, factwire(chunk.providerMetadata), blocksIn),
            items,
          )
        }
        return
      case 'tool-output-error':
        if (isMade(chunk.toolCallId)) {
          steps.commitResult(
            errorOf(chunk.toolCallId, chunk.errorText, factwire(chunk.providerMetadata), blocksIn),
            items,
          )
        }
        return
      case 'tool-output-denied': {
        const { toolCallId } = chunk
        const content = contentOf(reasons.get(toolCallId) ?? '')
        steps.commitResult(
          { type: 'tool_result', tool_use_id: toolCallId, content, is_error: true, denied: true },
          items,
        )
        return
      }
      case 'message-metadata':
        learn(chunk.messageMetadata)
        return
      case 'error':
        fail(failureIn(metadata, chunk.errorText), items)
        return
      case 'abort':
        closeAs(abortedIn(metadata), items)
        return
      case 'finish':
        finish(chunk, items)
        return
      // A call of which nothing is known.
      case 'tool-input-delta':
      case 'other':
        return
      default:
        readData(chunk, items)
    }
  }

  const isMade = (id: string): boolean => !dropped.delete(id)

  function readData(chunk: Extract<UiChunk, { readonly data: Json }>, items: Items): void {
    const said = readAside(chunk)
    // Whoever else streams may mean anything by the same names.
    if (!said || (said.type !== 'run' && !own)) return
    switch (said.type) {
      case 'run':
        own = true
        run = { ...run, runId: said.run_id, threadId: said.thread_id }
        return
      case 'step':
        // What was shown keeps the id that it was shown under.
        if (!steps.draft) steps.name(said.message_id)
        return
      case 'reason':
        reasons.set(said.id, said.text)
        return
      case 'result':
        steps.commitResult(said.block, items)
        return
      case 'commit':
        steps.commitMessage(items)
        items.push({ messages: none, state: RUNNING, ...said.commit })
        return
      case 'delta':
        items.push(said.delta)
    }
  }

  /** What a fragment of the message that is being written gives, as nearly every chunk is one. */
  function fragment(chunk: UiChunk): readonly Delta[] | undefined {
    switch (chunk.type) {
      case 'text-delta':
        return steps.draft?.say('text', chunk.id, chunk.delta)
      case 'reasoning-delta':
        return steps.draft?.say('reasoning', chunk.id, chunk.delta)
      case 'tool-input-delta': {
        const call = steps.draft?.calls.get(chunk.toolCallId)
        return call?.input ? none : call && steps.draft?.args(call, chunk.inputTextDelta)
      }
      default:
        return undefined
    }
  }

  function push(frame: UiFrame): readonly (Delta | Commit)[] {
    if (over || frame === DONE) return none
    const given = fragment(frame)
    if (given) return given
    const items: Items = []
    if (!begun) {
      begun = true
      items.push({ messages: [], state: RUNNING })
    }
    read(frame, items)
    return items
  }

  return {
    push,
    end(failure) {
      if (over) return none
      const items: Items = []
      fail(failure ?? TRUNCATED, items)
      return items.filter(isCommit)
    },
    run: () => run,
  }
}
