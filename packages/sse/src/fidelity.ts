/**
 * What becomes of every fact on the SSE wire. A reader is taken to read the whole segment, and to ask for reasoning as text.
 *
 * A result that answers a call of an earlier segment is told as `tool_call_resumed`, which has no place for its message.
 */
import {
  type ActivitySnapshot,
  type AssistantMessage,
  type AssistantThinking,
  type Awaiting,
  type Fidelity,
  type Pending,
  type RunFinished,
  type StateSnapshot,
  type ToolCallFact,
  type ToolResultFact,
  dropped,
  exact,
  harmless,
  lossy,
  textOf,
} from '@factwire/core'

export const fidelity: Fidelity = {
  run_started: exact,
  assistant_message: {
    cases: [{ when: 'its text is one block', holds: isOneText, fate: exact }],
    otherwise: lossy('where one block ends and the next begins'),
  },
  assistant_thinking: {
    cases: [
      { when: 'it has no words', holds: isWordless, fate: harmless(dropped('a thought is shown by its words')) },
      { when: 'it has its message, its words and no signature', holds: isPlainThought, fate: exact },
    ],
    otherwise: lossy('the signature, and that there were no words beside an encrypted thought'),
  },
  tool_call: {
    cases: [{ when: 'it is executed and its text is its input as JSON', holds: isPlainCall, fate: exact }],
    otherwise: lossy('how its arguments were written, and until the run waits, whose turn it is'),
  },
  tool_result: {
    cases: [{ when: 'it is one text or has media, and its data says more', holds: isPlainResult, fate: exact }],
    otherwise: lossy('where one text ends and the next begins, and data that only says the text again'),
  },
  awaiting: {
    cases: [{ when: 'it says whom it waits for, and none of them expires', holds: isPlainWait, fate: exact }],
    otherwise: lossy('when a call expires'),
  },
  continuation: dropped('that a run was steered is for its audit'),
  run_finished: {
    cases: [{ when: 'it says why, in words that are not the ones for used up steps', holds: saysWhy, fate: exact }],
    otherwise: lossy('that it was stopped by a code which on this wire means used up steps'),
  },
  run_failed: exact,
  // `step_end` names no message, and one that showed nothing has no step.
  step_ended: harmless(lossy('the end of a step that showed nothing')),
  inference_completed: exact,
  state_snapshot: {
    cases: [{ when: 'it says which patches it holds', holds: saysPatches, fate: harmless(lossy('that')) }],
    otherwise: exact,
  },
  activity_snapshot: {
    cases: [{ when: 'it says which patches it holds', holds: saysPatches, fate: harmless(lossy('that')) }],
    otherwise: exact,
  },
}

/** A reader of the whole needs no patches. */
function saysPatches({ revision }: StateSnapshot | ActivitySnapshot): boolean {
  return revision !== undefined
}

function named(id: string | undefined): boolean {
  return id !== undefined && id !== ''
}

function isOneText({ id, content }: AssistantMessage): boolean {
  return named(id) && content.length === 1 && textOf(content) !== ''
}

function isWordless({ text, encrypted }: AssistantThinking): boolean {
  return !text && !encrypted
}

function isPlainThought({ message_id, text, signature, encrypted }: AssistantThinking): boolean {
  return named(message_id) && text !== undefined && signature === undefined && encrypted !== ''
}

function isPlainCall({ message_id, disposition, raw_input }: ToolCallFact): boolean {
  return named(message_id) && disposition === 'executed' && raw_input === undefined
}

function isPlainResult({ content, message_id, name, data, denied, cancelled }: ToolResultFact): boolean {
  const media = content.some(({ type }) => type !== 'text')
  const text = textOf(content)
  return (
    named(message_id) &&
    name !== undefined &&
    (media || content.length <= 1) &&
    data !== null &&
    data !== text &&
    denied !== false &&
    cancelled !== false
  )
}

function isPlainWait({ pending_tool_use_id, pending }: Awaiting): boolean {
  if (!pending) return false
  const ids = pending.map(({ tool_use_id }) => tool_use_id)
  return (ids[0] ?? null) === pending_tool_use_id && new Set(ids).size === ids.length && pending.every(isPlainPending)
}

function isPlainPending({
  tool_use_id,
  approval_id,
  message,
  parameters,
  response_schema,
  expires_at,
}: Pending): boolean {
  return (
    approval_id !== '' &&
    approval_id !== tool_use_id &&
    message !== '' &&
    parameters !== null &&
    response_schema !== null &&
    expires_at === undefined
  )
}

/** The codes with which this wire says that the steps are used up. */
const USED_UP: readonly string[] = ['max_rounds', 'length']

function saysWhy({ exhausted, cause }: RunFinished): boolean {
  if (!cause || exhausted !== (cause.type === 'max_steps')) return false
  return cause.type !== 'stopped' || !USED_UP.includes(cause.code)
}
