/**
 * Neutral events to frames of new-wire. Text is shown while it is written, calls once they are committed.
 *
 * Repair is `drop`: a message whose committed text is not what was shown is forgotten, and told again.
 */
import {
  type Awaiting,
  type Delta,
  type Disposition,
  type Fact,
  type Joined,
  type Message,
  type MessageFact,
  type RunContext,
  type RunFailed,
  type RunFinished,
  type StreamFailureCode,
  type ToolCallFact,
  type Transcoder,
  type Turn,
  createPreview,
  distinctCalls,
  endOf,
  none,
  segment,
  tailOf,
  textOf,
  unhold,
} from '@factwire/core'
import { match } from 'ts-pattern'
import { type CallFrame, type Frame, type Runner, type TextFrame, frames } from './wire.ts'

export function transcoder(run: RunContext, _options?: undefined, join?: Joined): Transcoder<Frame> {
  const joined = join && distinctCalls(join.committed)
  const thread = joined?.messages ?? run.history ?? []
  const preview = createPreview({
    messageIds: thread.map(({ id }) => id),
    callIds: thread.flatMap(({ content }) => content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))),
  })
  const state = { started: join !== undefined, ended: false }
  /** The turn whose message was named last. */
  let speaking: Turn | undefined
  /** What the client knows the turns by, and every id that it knows. What was said first stays, even if the fact has another id. */
  const ids = new Map<Turn, string>()
  const known = new Set(thread.map(({ id }) => id))
  let minted = thread.length

  // ── Frames ──

  function idOf(turn: Turn): string {
    let id = ids.get(turn)
    if (id === undefined) {
      id = turn.id === undefined || known.has(turn.id) ? `${run.runId}-message-${minted++}` : turn.id
      ids.set(turn, id)
      known.add(id)
    }
    return id
  }

  function say(turn: Turn, content: TextFrame | CallFrame): readonly Frame[] {
    if (speaking === turn) return frames(content)
    speaking = turn
    return frames({ type: 'message', id: idOf(turn) }, content)
  }

  function drop(turn: Turn): readonly Frame[] {
    const id = idOf(turn)
    speaking = undefined
    ids.delete(turn)
    known.delete(id)
    return frames({ type: 'drop', id })
  }

  // ── Live ──

  function delta(event: Delta): readonly Frame[] {
    switch (event.type) {
      case 'text_delta': {
        const text = preview.text(event)
        return text === '' ? none : say(preview.turn(), { type: 'text', text })
      }
      case 'step_started':
        preview.step(event)
        return none
      case 'stream_reset': {
        const turn = preview.reset()
        return [...(turn ? drop(turn) : none), ...release()]
      }
      case 'reasoning_delta':
      case 'tool_call_delta':
      case 'tool_call_cancelled':
      case 'tool_output_delta':
      case 'state_delta':
      case 'activity_delta':
        return none
      default:
        event satisfies never
        return none
    }
  }

  /** What was held of a message that has its turn now. */
  function release(): readonly Frame[] {
    const turn = preview.release()
    return turn ? say(turn, { type: 'text', text: unhold(turn.text) }) : none
  }

  /** Takes back what is shown of messages that have no facts. */
  function withdraw(): readonly Frame[] {
    if (!preview.displaced()) return none
    const shown = preview.live().filter((turn) => turn.text.shown.length > 0)
    preview.withdraw()
    return shown.flatMap(drop)
  }

  // ── Committed ──

  /** The turn of a message's fact, and what takes back the previews that stand before it. */
  function claim(fact: MessageFact): { readonly turn: Turn; readonly withdrawn: readonly Frame[] } {
    const turn = preview.claim(fact)
    return { turn, withdrawn: withdraw() }
  }

  function message(fact: Extract<MessageFact, { readonly type: 'assistant_message' }>): readonly Frame[] {
    const { turn, withdrawn } = claim(fact)
    const text = textOf(fact.content)
    const tail = tailOf(turn.text.shown, text)
    turn.text.shown = text === '' ? [] : [text]
    if (tail === undefined) return [...withdrawn, ...drop(turn), ...say(turn, { type: 'text', text })]
    return tail === '' ? withdrawn : [...withdrawn, ...say(turn, { type: 'text', text: tail })]
  }

  function toolCall(fact: ToolCallFact): readonly Frame[] {
    const { turn, withdrawn } = claim(fact)
    const untrue = untold(turn)
    const { call } = preview.settle(turn, fact)
    return [...withdrawn, ...untrue, ...say(turn, callFrame(call.wireId, fact, BY[fact.disposition]))]
  }

  /** Text that was shown of a message that has none. */
  function untold(turn: Turn): readonly Frame[] {
    if (turn.truth.message || turn.text.shown.length === 0) return none
    turn.text.shown = []
    return drop(turn)
  }

  /** All facts of a message are given. */
  function finish(): readonly Frame[] {
    const turn = preview.finish()
    return turn ? untold(turn) : none
  }

  function fact(event: Fact): readonly Frame[] {
    const before = preview.continues(event) ? none : finish()
    const own = match(event)
      .returnType<readonly Frame[]>()
      // The segment has told it.
      .with({ type: 'run_started' }, () => none)
      .with({ type: 'assistant_thinking' }, (thinking) => claim(thinking).withdrawn)
      .with({ type: 'assistant_message' }, message)
      .with({ type: 'tool_call' }, toolCall)
      .with({ type: 'tool_result' }, ({ id, content, is_error }) => [
        ...frames({ type: 'result', call: preview.result(id)?.wireId ?? id, text: textOf(content), error: is_error }),
        ...release(),
      ])
      .with({ type: 'step_ended' }, ({ message_id }) => [
        ...(preview.claimEmpty(message_id) ? finish() : none),
        ...release(),
      ])
      // This wire has no place for them. One that tells usage counts those of `join.committed.inferences` first.
      .with({ type: 'inference_completed' }, () => none)
      .with({ type: 'state_snapshot' }, () => none)
      .with({ type: 'activity_snapshot' }, () => none)
      .with({ type: 'continuation' }, () => none)
      .with({ type: 'awaiting' }, { type: 'run_finished' }, { type: 'run_failed' }, end)
      .exhaustive()
    return before.length === 0 ? own : [...before, ...own]
  }

  // ── The end ──

  function end(event: Awaiting | RunFinished | RunFailed): readonly Frame[] {
    state.ended = true
    // What is still shown without a fact is not true.
    const before = withdraw()
    switch (event.type) {
      case 'awaiting': {
        const waiting = preview.waiting(event).map(({ tool_use_id, kind }) => ({
          call: preview.find(tool_use_id)?.wireId ?? tool_use_id,
          by: kind,
        }))
        return [...before, ...frames({ type: 'end', reason: 'waiting', waiting })]
      }
      case 'run_finished': {
        const reason = event.exhausted ? 'exhausted' : 'finished'
        return [...before, ...unfinished(), ...frames({ type: 'end', reason, waiting: [] })]
      }
      case 'run_failed': {
        const { code, message: text } = event
        return [...before, ...unfinished(), ...frames({ type: 'error', code, message: text })]
      }
    }
  }

  /** Every call that was told has a result, also one that a careless producer left open. */
  function unfinished(): readonly Frame[] {
    return preview
      .open()
      .flatMap(({ wireId }) => frames({ type: 'result', call: wireId, text: 'the run ended first', error: true }))
  }

  // ── The beginning ──

  /** Brings a client that joins from nothing to now. */
  function open({ committed, open: deltas }: Joined): readonly Frame[] {
    for (const call of joined?.open ?? none) preview.know(call)
    const told = thread.flatMap((stored) =>
      messageFrames(stored, (id) => BY[joined?.dispositions.get(id) ?? 'executed']),
    )
    const last = endOf(committed)
    return [...frames(start(true)), ...told, ...deltas.flatMap(delta), ...(last ? fact(last) : none)]
  }

  const start = (replay: boolean): Frame => ({ type: 'start', run: run.runId, replay })

  return segment(state, {
    preview,
    opening: join && open(join),
    start: () => frames(start(false)),
    fact,
    settled: () => [...finish(), ...release()],
    delta,
    breakOff() {
      const code: StreamFailureCode = 'stream_failed'
      return [...finish(), ...end({ type: 'run_failed', code, message: 'the stream broke off' })]
    },
  })
}

const BY: Readonly<Record<Disposition, Runner>> = {
  executed: 'agent',
  pending_client: 'client',
  pending_builtin: 'approval',
}

type Called = Pick<ToolCallFact, 'name' | 'input' | 'raw_input'>

function callFrame(id: string, { name, input, raw_input }: Called, by: Runner): CallFrame {
  return { type: 'call', id, name, arguments: raw_input ?? JSON.stringify(input), by }
}

/** A message of the thread, as whoever was there had seen it. */
function messageFrames({ id, role, content }: Message, by: (call: string) => Runner): readonly Frame[] {
  if (role === 'tool') {
    return content.flatMap((block): readonly Frame[] => {
      if (block.type !== 'tool_result') return none
      return frames({ type: 'result', call: block.tool_use_id, text: textOf(block.content), error: block.is_error })
    })
  }
  if (role !== 'assistant') return none
  const calls = content.flatMap((block) =>
    block.type === 'tool_use' ? [callFrame(block.id, block, by(block.id))] : [],
  )
  const text = textOf(content)
  return frames({ type: 'message', id }, ...(text === '' ? [] : [{ type: 'text', text } as const]), ...calls)
}
