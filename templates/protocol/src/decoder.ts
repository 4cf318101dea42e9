/** Frames of new-wire to deltas as they arrive, and a commit whenever a message or a result is complete. */
import {
  type Commit,
  type ContentBlock,
  type Decoder,
  type Delta,
  type EndCause,
  type Failure,
  type Json,
  type Message,
  type OpenCall,
  type Pending,
  type ToolUseBlock,
  endRun,
  none,
  parseJson,
} from '@factwire/core'
import type { CallFrame, EndFrame, Frame } from './wire.ts'

/** What was told of a message and is not committed yet. */
interface Draft {
  readonly id: string
  text: string
  readonly calls: CallFrame[]
}

const RUNNING = { type: 'running' } as const

export function decoder(): Decoder<Frame> {
  let runId: string | undefined
  let over = false
  /** The message that was named last. */
  let named: string | undefined
  let draft: Draft | undefined
  let openCalls: readonly OpenCall[] = []

  function writable(id: string): Draft {
    draft ??= { id, text: '', calls: [] }
    return draft
  }

  /** The message that was told, if it was one. From now on its calls are open. */
  function taken(): Message | undefined {
    const told = draft
    draft = undefined
    if (!told) return undefined
    const { id, text, calls } = told
    const content: ContentBlock[] = [...(text === '' ? [] : [{ type: 'text', text } as const]), ...calls.map(toolUse)]
    if (content.length === 0) return undefined
    openCalls = [...openCalls, ...calls.map((call) => ({ id: call.id, name: call.name, message_id: id }))]
    return { id, role: 'assistant', content }
  }

  function committed(): readonly Commit[] {
    const pending = draft?.calls.flatMap(({ id, by }): Pending[] =>
      by === 'agent' ? [] : [{ tool_use_id: id, kind: by }],
    )
    const message = taken()
    return message ? [{ messages: [message], state: RUNNING, ...(pending?.length ? { pending } : {}) }] : none
  }

  function ended(cause: EndCause): readonly Commit[] {
    over = true
    const before = committed()
    return [...before, endRun({ openCalls }, cause)]
  }

  function failed(failure: Failure): readonly Commit[] {
    return ended({ type: 'error', failure })
  }

  function malformed(message: string): readonly Commit[] {
    return failed({ code: 'stream_malformed', message })
  }

  function end({ reason, waiting }: EndFrame): readonly Commit[] {
    if (reason !== 'waiting') return ended({ type: reason === 'finished' ? 'natural_end' : 'max_steps' })
    over = true
    const pending = waiting.map(({ call, by }): Pending => ({ tool_use_id: call, kind: by }))
    return [...committed(), { messages: [], state: { type: 'awaiting' }, pending }]
  }

  function result(call: string, text: string, is_error: boolean): readonly Commit[] {
    const before = committed()
    openCalls = openCalls.filter(({ id }) => id !== call)
    const content: ContentBlock[] = text === '' ? [] : [{ type: 'text', text }]
    const message: Message = {
      id: `tool-${call}`,
      role: 'tool',
      content: [{ type: 'tool_result', tool_use_id: call, content, is_error }],
    }
    return [...before, { messages: [message], state: RUNNING }]
  }

  function push(frame: Frame): readonly (Delta | Commit)[] {
    if (over) return none
    if (runId === undefined && frame.type !== 'start') return malformed('the stream does not begin with its start')
    switch (frame.type) {
      case 'start':
        if (runId !== undefined) return malformed('the run starts twice')
        runId = frame.run
        return [{ messages: [], state: RUNNING }]
      case 'message': {
        if (named === frame.id) return none
        named = frame.id
        return committed()
      }
      case 'text': {
        if (named === undefined) return malformed('text of no message')
        const into = writable(named)
        const offset = into.text.length
        into.text += frame.text
        return [{ type: 'text_delta', delta: frame.text, message_id: into.id, offset }]
      }
      case 'drop': {
        named = undefined
        if (draft?.id !== frame.id) return committed()
        draft = undefined
        return [{ type: 'stream_reset', reason: 'the message was dropped' }]
      }
      case 'call': {
        if (named === undefined) return malformed('a call of no message')
        const into = writable(named)
        into.calls.push(frame)
        const { id, name, arguments: args_delta } = frame
        return [{ type: 'tool_call_delta', id, name, args_delta, message_id: into.id, offset: 0 }]
      }
      case 'result':
        return result(frame.call, frame.text, frame.error)
      case 'end':
        return end(frame)
      case 'error':
        return failed({ code: frame.code, message: frame.message })
    }
  }

  return {
    push,
    end(failure) {
      if (over) return none
      return failed(failure ?? { code: 'stream_truncated', message: 'the stream ended before its end' })
    },
    run: () => (runId === undefined ? {} : { runId }),
  }
}

/** Arguments that do not parse stay readable as `raw_input` and have no input, so that nobody runs the call. */
function toolUse({ id, name, arguments: raw }: CallFrame): ToolUseBlock {
  const block = { type: 'tool_use', id, name } as const
  let input: Json
  try {
    input = parseJson(raw)
  } catch {
    return { ...block, input: null, raw_input: raw }
  }
  return JSON.stringify(input) === raw ? { ...block, input } : { ...block, input, raw_input: raw }
}
