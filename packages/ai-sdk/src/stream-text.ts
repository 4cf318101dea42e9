/**
 * The full stream of the AI SDK's `streamText`, of major 5, 6 or 7, as the events of a run: for who has that loop and wants any wire.
 *
 * It knows the parts by their shape, and needs no `ai` at run time. Files, sources and raw parts say nothing here.
 */
import {
  type AgentEvent,
  type Commit,
  type ContentBlock,
  type EndCause,
  equalJson,
  type Inference,
  type Json,
  type Message,
  type Pending,
  runWriter,
  type RunWriterOptions,
  stringify,
  type ToolOutcome,
  type ToolUseBlock,
  type Written,
} from '@factwire/core'
import { parsed } from './parsed.ts'
import { sealIn } from './seal.ts'
import { causeOf, errorText, jsonOf, resultOf, textOfOutput, tokensOf } from './stream-text-values.ts'
import type { ProviderMetadata } from './wire.ts'

/** Any part. What is not named here is passed over. */
export interface StreamTextPart {
  readonly type: string
  readonly id?: string
  /** Of text and reasoning. */
  readonly text?: string
  /** Of arguments. */
  readonly delta?: unknown
  readonly toolCallId?: string
  readonly toolName?: string
  readonly toolCall?: unknown
  readonly input?: unknown
  readonly output?: unknown
  readonly error?: unknown
  readonly invalid?: boolean
  readonly preliminary?: boolean
  readonly providerExecuted?: boolean
  readonly providerMetadata?: unknown
  readonly approvalId?: string
  readonly isAutomatic?: boolean
  readonly approved?: boolean
  readonly reason?: string
  readonly finishReason?: string
  readonly usage?: unknown
  readonly response?: unknown
}

export interface StreamTextOptions extends RunWriterOptions {
  /** To be stored before the events of it are given. */
  readonly onCommit?: (commit: Commit) => void | Promise<void>
  /** What a client is told of an error. Default: that one occurred, because its words may hold what is not theirs. */
  readonly onError?: (error: unknown) => string
  /** What the thread keeps of a tool that threw, and every client is shown. Default: its message. */
  readonly onToolError?: (error: unknown) => string
  /**
   * Names of the tools that the client runs. Without it nobody knows whose a call is before its step is over, so results wait until
   * then.
   */
  readonly clientTools?: Iterable<string>
  /** Milliseconds that a step took, asked for at its end. Default 0. */
  readonly durationMs?: () => number
}

/** The first part begins the run, and its events end with the stream: as waiting where calls have no result, as failed where it broke. */
export async function* fromStreamText(
  stream: AsyncIterable<StreamTextPart>,
  { onCommit, ...options }: StreamTextOptions,
): AsyncGenerator<AgentEvent> {
  const reading = reader(options)
  async function* publish(written: readonly Written[]): AsyncGenerator<AgentEvent> {
    for (const { commit, events } of written) {
      if (commit) await onCommit?.(commit)
      yield* events
    }
  }
  try {
    for await (const part of stream) yield* publish(reading.read(part))
  } catch (error) {
    yield* publish(reading.fail(error))
    return
  }
  yield* publish(reading.end())
}

interface Called {
  readonly id: string
  name: string
  text: string
  input: Json | undefined
}

interface Result {
  readonly id: string
  readonly content: string
  readonly outcome: ToolOutcome
}

interface Reading {
  read(part: StreamTextPart): readonly Written[]
  fail(error: unknown): readonly Written[]
  end(): readonly Written[]
}

function reader({
  onError = () => 'An error occurred.',
  onToolError = errorText,
  durationMs = () => 0,
  clientTools,
  ...options
}: Omit<StreamTextOptions, 'onCommit'>): Reading {
  const writer = runWriter(options)
  const ofClient = clientTools && new Set(clientTools)
  /** The message of the step, part by part, as it is to be committed. */
  let parts: (ContentBlock | Called)[] = []
  let calls = new Map<string, Called>()
  /** Calls without a result, and what they wait for if nobody else runs them. */
  const open = new Map<string, Pending>()
  /** Calls that the model's provider runs. */
  const executed = new Set<string>()
  /** Results of the step, while it is not known whose its other calls are. */
  let held: Result[] = []
  let over = false
  let aborted: string | undefined
  let finished: string | undefined

  function called(id: string, name: string): Called {
    const known = calls.get(id)
    if (known) return known
    const call: Called = { id, name, text: '', input: undefined }
    calls.set(id, call)
    parts.push(call)
    return call
  }

  function spoken(type: 'text' | 'thinking', text: string): void {
    const last = parts.at(-1)
    if (last && 'type' in last && last.type === type) parts[parts.length - 1] = { ...last, text: last.text + text }
    else parts.push({ type, text })
  }

  /** Commits what the step has said so far. */
  function commitMessage(more: Partial<Commit> = {}): readonly Written[] {
    const content = parts.map((part) => ('type' in part ? part : toolUse(part)))
    const answered = new Set(held.map(({ id }) => id))
    const pending = [...calls.values()].flatMap(({ id, name }): Pending[] => {
      const entry = open.get(id)
      const waits = entry && !answered.has(id) && !executed.has(id)
      return waits && (entry.kind === 'approval' || !ofClient || ofClient.has(name)) ? [entry] : []
    })
    parts = []
    calls = new Map()
    const message: Message = { id: writer.messageId(), role: 'assistant', content }
    const messages = content.length === 0 ? [] : [message]
    if (messages.length === 0 && Object.keys(more).length === 0) return []
    return [writer.commit({ messages, ...(pending.length > 0 ? { pending } : {}), ...more })]
  }

  function answer(id: string, content: string, outcome: ToolOutcome): readonly Written[] {
    if (!ofClient && calls.has(id)) {
      held.push({ id, content, outcome })
      return []
    }
    return [...(calls.has(id) ? commitMessage() : []), tellResult({ id, content, outcome })]
  }

  function tellResult({ id, content, outcome }: Result): Written {
    open.delete(id)
    return writer.toolResult(id, content, outcome)
  }

  /** What was said in the step, and what came of its calls. */
  function commitStep(more: Partial<Commit> = {}): readonly Written[] {
    const message = commitMessage(more)
    const results = held.map(tellResult)
    held = []
    return [...message, ...results]
  }

  function failed(error: unknown): readonly Written[] {
    over = true
    const cause: EndCause = { type: 'error', failure: { code: 'error', message: onError(error) } }
    return [...commitStep(), writer.end(cause)]
  }

  function read(part: StreamTextPart): readonly Written[] {
    if (over) return []
    const { id = '', toolCallId = '', toolName = '' } = part
    switch (part.type) {
      case 'start':
        return [writer.commit()]
      case 'text-delta':
      case 'reasoning-delta': {
        const text = part.text ?? (typeof part.delta === 'string' ? part.delta : '')
        if (text === '') return []
        spoken(part.type === 'text-delta' ? 'text' : 'thinking', text)
        return [part.type === 'text-delta' ? writer.text(text) : writer.reasoning(text)]
      }
      case 'reasoning-end': {
        const seal = sealIn(part.providerMetadata as ProviderMetadata | undefined)
        const at = parts.findLastIndex((one) => 'type' in one && one.type === 'thinking')
        const thought = parts[at]
        if (seal && thought && 'type' in thought && thought.type === 'thinking') parts[at] = { ...thought, ...seal }
        return []
      }
      case 'tool-input-start':
        called(id, toolName)
        if (part.providerExecuted) executed.add(id)
        return [writer.toolCall(id, toolName)]
      case 'tool-input-delta': {
        const call = calls.get(id)
        if (!call || typeof part.delta !== 'string') return []
        call.text += part.delta
        return [writer.toolCall(id, call.name, part.delta)]
      }
      case 'tool-call': {
        const call = called(toolCallId, toolName)
        if (part.providerExecuted) executed.add(toolCallId)
        call.input = jsonOf(part.input)
        open.set(toolCallId, { tool_use_id: toolCallId, kind: 'client' })
        return call.text === '' ? [writer.toolCall(toolCallId, toolName, stringify(call.input))] : []
      }
      case 'tool-approval-request': {
        if (part.isAutomatic) return []
        const callId = (part.toolCall as { readonly toolCallId?: string } | undefined)?.toolCallId ?? toolCallId
        const approval_id = part.approvalId
        const named = approval_id === undefined || approval_id === callId ? {} : { approval_id }
        open.set(callId, { tool_use_id: callId, kind: 'approval', ...named })
        return []
      }
      case 'tool-result':
        return part.preliminary ? [] : answer(toolCallId, textOfOutput(part.output), resultOf(part.output))
      case 'tool-error':
        return answer(toolCallId, onToolError(part.error), { is_error: true })
      case 'tool-output-denied':
        return answer(toolCallId, part.reason ?? '', { denied: true })
      case 'finish-step':
        finished = part.finishReason
        return commitStep({ inference: inferenceOf(part) })
      case 'finish':
        finished = part.finishReason ?? finished
        return []
      case 'abort':
        aborted = part.reason ?? ''
        return []
      case 'error':
        return failed(part.error)
      default:
        return []
    }
  }

  function inferenceOf({ usage, response }: StreamTextPart): Inference {
    const model = (response as { readonly modelId?: unknown } | undefined)?.modelId
    const tokens = tokensOf(usage)
    const told = tokens ? { usage: tokens } : {}
    return { model: typeof model === 'string' ? model : '', ...told, duration_ms: durationMs() }
  }

  function end(): readonly Written[] {
    if (over) return []
    over = true
    const last = commitStep()
    if (aborted !== undefined) return [...last, writer.end({ type: 'cancelled' })]
    // What the model's provider runs is not the client's to answer.
    const pending = [...open.values()].filter(({ tool_use_id }) => !executed.has(tool_use_id))
    if (pending.length > 0) return [...last, writer.await(pending)]
    return [...last, writer.end(causeOf(finished))]
  }

  return {
    read,
    end,
    fail: (error) => (over ? [] : failed(error)),
  }
}

/** The value that the tools get, and the text that the model wrote where that is its own. */
function toolUse({ id, name, text, input }: Called): ToolUseBlock {
  const block = { type: 'tool_use', id, name } as const
  const written = text === '' ? undefined : parsed(text)
  if (input === undefined || (typeof input === 'string' && input === text && written === undefined)) {
    return { ...block, input: null, raw_input: text }
  }
  if (written === undefined || text === JSON.stringify(input) || !equalJson(written, input)) return { ...block, input }
  return { ...block, input, raw_input: text }
}
