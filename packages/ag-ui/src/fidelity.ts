/**
 * What becomes of every fact on this wire. A reader is taken to read the whole segment, and to ask for reasoning as text; the
 * results that a client brought itself are not told back to it.
 */
import {
  type ActivitySnapshot,
  type AssistantMessage,
  type AssistantThinking,
  type Awaiting,
  type ContentBlock,
  type Fidelity,
  type InferenceCompleted,
  type Json,
  type RunFinished,
  type StateSnapshot,
  type ToolCallFact,
  type ToolResultFact,
  argumentsOf,
  dropped,
  equalJson,
  exact,
  harmless,
  isJsonObject,
  lossy,
} from '@factwire/core'
import { blocksOf, contentOf } from './content.ts'
import { callBlock } from './stored.ts'

export const fidelity: Fidelity = {
  run_started: exact,
  assistant_message: {
    cases: [{ when: 'its text is one block', holds: isOneText, fate: exact }],
    otherwise: lossy('where one block ends and the next begins'),
  },
  assistant_thinking: {
    cases: [
      {
        when: 'it is neither text nor encrypted',
        holds: isWordless,
        fate: harmless(dropped('a thought is shown by its words')),
      },
      { when: 'it names its message and has text', holds: isTold, fate: exact },
    ],
    otherwise: lossy('that it had no text, or no message'),
  },
  tool_call: {
    cases: [{ when: 'it is executed, and its arguments are its input', holds: isPlainCall, fate: exact }],
    otherwise: lossy('whose turn it is, if its message also made calls that ran'),
  },
  tool_result: {
    cases: [{ when: 'it names its message and tool, and is one text or has media', holds: isPlainResult, fate: exact }],
    otherwise: lossy('where one text ends and the next begins'),
  },
  awaiting: {
    cases: [
      { when: 'it says whom it waits for', holds: ({ pending }: Awaiting) => pending !== undefined, fate: exact },
    ],
    otherwise: lossy('that it did not say whom it waits for'),
  },
  continuation: dropped('that a run was steered is for its audit'),
  run_finished: {
    cases: [{ when: 'it says why, and its result is not null', holds: saysWhy, fate: exact }],
    otherwise: lossy('that its cause was not told, or its result null'),
  },
  run_failed: exact,
  step_ended: harmless(lossy('the end of a step that showed nothing')),
  inference_completed: {
    cases: [
      {
        when: 'it tells no usage',
        holds: ({ usage }: InferenceCompleted) => usage === undefined,
        fate: dropped('the end of a run says what its models cost, not how often they were called'),
      },
    ],
    otherwise: lossy('when it was and how long it took; calls of one model are told as one'),
  },
  state_snapshot: {
    cases: [{ when: 'it says which patches it holds', holds: saysPatches, fate: harmless(lossy('that')) }],
    otherwise: exact,
  },
  activity_snapshot: {
    cases: [
      { when: 'it says which patches it holds', holds: saysPatches, fate: harmless(lossy('that')) },
      {
        when: 'its content is an object',
        holds: ({ content }: ActivitySnapshot) => isJsonObject(content),
        fate: exact,
      },
    ],
    otherwise: lossy('that its content was no object: it is the `value` of one'),
  },
}

/** A reader of the whole needs no patches. */
function saysPatches({ revision }: StateSnapshot | ActivitySnapshot): boolean {
  return revision !== undefined
}

function isOneText({ content }: AssistantMessage): boolean {
  const [block] = content
  return content.length === 1 && block?.type === 'text' && block.text !== ''
}

function isWordless({ text = '', encrypted }: AssistantThinking): boolean {
  return text === '' && encrypted === undefined
}

function isTold({ message_id, text }: AssistantThinking): boolean {
  return message_id !== undefined && text !== undefined
}

function isPlainCall(fact: ToolCallFact): boolean {
  const { id, name, input, disposition, message_id, raw_input } = fact
  if (disposition !== 'executed' || message_id === undefined) return false
  const read = callBlock(id, name, argumentsOf(fact))
  return equalJson(read.input, input) && read.raw_input === raw_input
}

function isPlainResult({ content, message_id, name }: ToolResultFact): boolean {
  return message_id !== undefined && name !== undefined && isCarried(content)
}

function saysWhy({ cause, exhausted, result }: RunFinished): boolean {
  return cause !== undefined && exhausted === (cause.type === 'max_steps') && result !== null
}

function isCarried(content: readonly ContentBlock[]): boolean {
  const read = blocksOf(contentOf(content))
  // JSON by its types, which interfaces do not say.
  return equalJson(JSON.parse(JSON.stringify(read)) as Json, JSON.parse(JSON.stringify(content)) as Json)
}
