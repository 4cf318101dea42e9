/**
 * Neutral events to chat completion chunks: one message, one finish.
 *
 * This wire takes nothing back and shows no agent at work: what was sent must be the truth's beginning, or the stream fails. Calls
 * that the agent runs itself are not sent, because every client would run them again.
 */
import {
  type Awaiting,
  type CallItem,
  type Delta,
  type Fact,
  type Failure,
  type InferenceCompleted,
  type Joined,
  type Json,
  type MessageFact,
  type RunContext,
  type RunFinished,
  type StreamFailureCode,
  type ToolCallFact,
  type Transcoder,
  type Turn,
  argumentsTail,
  createPreview,
  decideEnd,
  none,
  tailOf,
  textOf,
  unhold,
} from '@factwire/core'
import { match } from 'ts-pattern'
import { errorFrame } from './error-body.ts'
import { createUsageTotal } from './usage-total.ts'
import { type ChatFrame, CHUNK, DONE } from './wire.ts'

export interface OpenAiChatOptions {
  /** Names of the tools that the client brought: their calls are shown while they are written. */
  readonly clientTools?: readonly string[]
  /** The field that reasoning is sent in. Default false: it is not sent. */
  readonly reasoning?: false | 'reasoning_content' | 'reasoning'
  /** Whether the client asked for usage. Default false. */
  readonly includeUsage?: boolean
  /** Name of a client tool that asks for approval. Without it a run that needs approval ends as `approval_unsupported`. */
  readonly approvalTool?: string
  /** Top-level key under which calls and results of the agent itself ride on chunks that say nothing else. Default: not sent. */
  readonly extension?: string
}

/** Between the texts of two messages, which are one text to a client. */
const BETWEEN = '\n\n'

export function transcoder(run: RunContext, options: OpenAiChatOptions = {}, join?: Joined): Transcoder<ChatFrame> {
  const { reasoning = false, includeUsage = false, approvalTool, extension } = options
  const clientTools = new Set(options.clientTools)
  const preview = createPreview({ joined: join !== undefined, takesBack: false })
  const usage = createUsageTotal()
  const head = {
    id: `chatcmpl-${run.runId}`,
    object: CHUNK,
    created: Math.floor((run.startedAt ?? 0) / 1000),
    model: run.model ?? run.agentId ?? 'agent',
  }
  /** The turn whose text was sent last. */
  let speaking: Turn | undefined
  let spoke = false
  /** The call that is being sent: calls are sent one after the other. */
  let calling: CallItem | undefined
  const indices = new Map<string, number>()
  let started = false
  let ended = false
  let opening: readonly ChatFrame[] | undefined = join && open(join)

  // ── Frames ──

  function chunk(delta: Readonly<Record<string, unknown>>, finish: string | null = null): ChatFrame {
    const { id, object, created, model } = head
    return { id, object, created, model, choices: [{ index: 0, delta, finish_reason: finish }] }
  }

  function say(turn: Turn, text: string): ChatFrame {
    const content = spoke && speaking !== turn ? BETWEEN + text : text
    speaking = turn
    spoke = true
    return chunk({ content })
  }

  function begin(id: string, name: string): ChatFrame {
    const index = indices.size
    indices.set(id, index)
    return chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] })
  }

  function write(id: string, args: string): ChatFrame {
    return chunk({ tool_calls: [{ index: indices.get(id) ?? 0, function: { arguments: args } }] })
  }

  /** What only a client of this option reads, where any other client sees an empty delta. */
  function aside(fact: Fact): readonly ChatFrame[] {
    if (extension === undefined) return none
    return [{ ...head, choices: [{ index: 0, delta: {}, finish_reason: null }], [extension]: fact }]
  }

  // ── Live ──

  function delta(event: Delta): readonly ChatFrame[] {
    switch (event.type) {
      case 'text_delta': {
        const text = preview.text(event)
        return text === '' ? none : [say(preview.turn(), text)]
      }
      case 'reasoning_delta': {
        if (!reasoning) return none
        const text = preview.reasoning(event)
        return text === '' ? none : [chunk({ [reasoning]: text })]
      }
      case 'tool_call_delta': {
        if (!clientTools.has(event.name) && event.disposition !== 'pending_client') return none
        const call = preview.call(event)
        return call ? showCall(preview.turn(), call, preview.fragment()) : none
      }
      case 'tool_call_cancelled':
        return preview.cancel(event.id) ? irreconcilable() : none
      case 'stream_reset':
        // A call that was sent cannot become the beginning of anything else.
        if (preview.live()[0] && calling) return irreconcilable()
        preview.repeat()
        return none
      case 'step_started':
        preview.step(event)
        return none
      case 'tool_output_delta':
      case 'state_delta':
      case 'activity_delta':
        return none
      default:
        event satisfies never
        return none
    }
  }

  function showCall(turn: Turn, call: CallItem, fragment: string): readonly ChatFrame[] {
    if (calling && calling !== call) return none
    const frames: ChatFrame[] = []
    if (preview.announce(turn, call)) {
      calling = call
      frames.push(begin(call.wireId, call.name))
    }
    if (fragment !== '') frames.push(write(call.wireId, fragment))
    return frames
  }

  /** What was held of a turn that has come to the front. */
  function release(): readonly ChatFrame[] {
    const turn = preview.release()
    if (!turn) return none
    const frames: ChatFrame[] = []
    const thought = unhold(turn.reasoning)
    if (reasoning && thought !== '') frames.push(chunk({ [reasoning]: thought }))
    const text = unhold(turn.text)
    if (text !== '') frames.push(say(turn, text))
    for (const call of Array.from(turn.calls.values())) frames.push(...showCall(turn, call, unhold(call)))
    return frames
  }

  // ── Committed ──

  /** A message whose text or call is sent, although another is committed first. */
  const displaced = (): boolean => preview.live().some((turn) => turn.text.shown !== '' || hasSentCall(turn))

  function message(fact: Extract<MessageFact, { type: 'assistant_message' }>): readonly ChatFrame[] {
    const turn = preview.claim(fact)
    const text = textOf(fact.content)
    const tail = tailOf(turn.text.shown, text)
    if (tail === undefined || displaced()) return irreconcilable()
    turn.text.shown = text
    return tail === '' ? none : [say(turn, tail)]
  }

  function toolCall(fact: ToolCallFact): readonly ChatFrame[] {
    const turn = preview.claim(fact)
    if (displaced() || (!turn.truth.message && turn.text.shown !== '')) return irreconcilable()
    const { call, inOrder } = preview.settle(turn, fact)
    const args = fact.raw_input ?? JSON.stringify(fact.input)
    if (call.announced) {
      const tail = argumentsTail(call.shown, args)
      if (!inOrder || tail === undefined || fact.disposition !== 'pending_client') return irreconcilable()
      calling = undefined
      return tail === '' ? none : [write(call.wireId, tail)]
    }
    if (fact.disposition !== 'pending_client') return aside(fact)
    if (hasSentCall(turn)) return irreconcilable()
    return [begin(call.wireId, fact.name), write(call.wireId, args)]
  }

  function finish(next?: Fact): readonly ChatFrame[] {
    const turn = preview.finish()
    if (!turn) return none
    const untrue = (!turn.truth.message && turn.text.shown !== '') || hasSentCall(turn)
    return untrue && next?.type !== 'run_failed' ? irreconcilable() : none
  }

  function irreconcilable(): readonly ChatFrame[] {
    const code: StreamFailureCode = 'stream_reconciliation_failed'
    return fail({ code, message: 'what was shown is not what was committed' })
  }

  function fail(failure: Failure): readonly ChatFrame[] {
    ended = true
    return [errorFrame(failure)]
  }

  function fact(event: Fact): readonly ChatFrame[] {
    const before = preview.continues(event) ? none : finish(event)
    if (ended) return before
    return match(event)
      .returnType<readonly ChatFrame[]>()
      .with({ type: 'run_started' }, () => none)
      .with({ type: 'assistant_thinking' }, (thinking) => {
        preview.claim(thinking)
        return none
      })
      .with({ type: 'assistant_message' }, message)
      .with({ type: 'tool_call' }, toolCall)
      .with({ type: 'tool_result' }, (result) => {
        preview.result(result.id)
        return [...aside(result), ...release()]
      })
      .with({ type: 'step_ended' }, ({ message_id }) => {
        const emptied = preview.claimEmpty(message_id) ? finish() : none
        return ended ? emptied : release()
      })
      .with({ type: 'inference_completed' }, (inference: InferenceCompleted) => {
        usage.add(inference)
        return none
      })
      .with({ type: 'state_snapshot' }, { type: 'activity_snapshot' }, { type: 'continuation' }, () => none)
      .with({ type: 'awaiting' }, awaiting)
      .with({ type: 'run_finished' }, (end) => closeWith(finishReason(end)))
      .with({ type: 'run_failed' }, ({ code, message: text }) => fail({ code, message: text }))
      .exhaustive()
  }

  // ── The end ──

  function closeWith(reason: string): readonly ChatFrame[] {
    if (displaced()) return irreconcilable()
    ended = true
    const total: ChatFrame[] = includeUsage ? [{ ...head, choices: [], usage: usage.total() }] : []
    return [chunk({}, reason), ...total, DONE]
  }

  function awaiting({ pending = [] }: Awaiting): readonly ChatFrame[] {
    const approvals = pending.filter(({ kind }) => kind === 'approval')
    if (approvals.length > 0 && approvalTool === undefined) {
      return fail({
        code: 'approval_unsupported',
        message: 'the run waits for an approval that this client cannot give',
      })
    }
    const asked = approvals.flatMap(({ tool_use_id, approval_id, message: text, parameters }) => {
      const { name, input } = callOf(tool_use_id)
      const question: Json = {
        tool_call_id: tool_use_id,
        tool: name,
        arguments: input,
        ...(text === undefined ? {} : { message: text }),
        ...(parameters === undefined ? {} : { parameters }),
      }
      return whole(approval_id ?? tool_use_id, approvalTool ?? '', JSON.stringify(question))
    })
    const again = pending.flatMap(({ kind, tool_use_id }) => {
      if (kind !== 'client' || preview.find(tool_use_id)) return []
      const { name, input, raw_input } = callOf(tool_use_id)
      return whole(tool_use_id, name, raw_input ?? JSON.stringify(input))
    })
    return [...asked, ...again, ...closeWith(indices.size > 0 ? 'tool_calls' : 'stop')]
  }

  function whole(id: string, name: string, args: string): ChatFrame[] {
    return [begin(id, name), write(id, args)]
  }

  /** A call of this segment, or of the thread before it. */
  function callOf(id: string): { readonly name: string; readonly input: Json; readonly raw_input?: string } {
    const fact = preview.find(id)?.fact
    if (fact) return fact
    for (const { content } of join?.committed.messages ?? run.history ?? []) {
      for (const block of content) if (block.type === 'tool_use' && block.id === id) return block
    }
    return { name: '', input: null }
  }

  // ── The beginning ──

  const role = (): ChatFrame => chunk({ role: 'assistant', content: '' })

  /** A client that joins gets what the run has said since the last request. */
  function open({ committed: { messages, standing }, open: deltas }: Joined): readonly ChatFrame[] {
    started = true
    for (const call of standing.openCalls) preview.know(call.id, call.name)
    const since = messages.slice(messages.findLastIndex(({ role: who }) => who === 'user') + 1)
    const texts = since.flatMap(({ role: who, content }) => (who === 'assistant' ? [textOf(content)] : []))
    const said = texts.filter((text) => text !== '').join(BETWEEN)
    spoke = said !== ''
    return [role(), ...(spoke ? [chunk({ content: said })] : []), ...deltas.flatMap(delta)]
  }

  /** Nothing comes before the start or after the end; a joined stream begins with its opening. */
  function guarded(frames: () => readonly ChatFrame[]): readonly ChatFrame[] {
    if (ended) return none
    const first = opening
    opening = undefined
    return first ? [...first, ...frames()] : frames()
  }

  return {
    fact: (event) =>
      guarded(() => {
        if (started) return fact(event)
        if (event.type !== 'run_started') return none
        started = true
        return [role()]
      }),
    settled: () => guarded(() => [...finish(), ...(ended ? none : release())]),
    delta: (event) => (started && !ended && !opening ? delta(event) : guarded(() => (started ? delta(event) : none))),
    close: () =>
      guarded(() => {
        if (decideEnd({ started, ended, exact: true, requested: 'failed' }) !== 'failed') return none
        const code: StreamFailureCode = 'stream_failed'
        return fail({ code, message: 'the stream broke off' })
      }),
  }
}

/** A call that is sent and has no fact yet. */
const hasSentCall = (turn: Turn): boolean => [...turn.calls.values()].some((call) => call.announced)

function finishReason({ exhausted, cause }: RunFinished): string {
  if (exhausted) return 'length'
  return cause?.type === 'blocked' && cause.reason === 'content_filter' ? 'content_filter' : 'stop'
}
