/**
 * What becomes of every fact on this wire. It says what holds for the transcoder's default options, and for a reader that asks for
 * reasoning as text.
 */
import {
  type AssistantMessage,
  type AssistantThinking,
  type Awaiting,
  type Continuation,
  type ActivitySnapshot,
  dropped,
  equalJson,
  exact,
  type Fidelity,
  harmless,
  type InferenceCompleted,
  type Json,
  lossy,
  type RunFinished,
  type StateSnapshot,
  type ToolCallFact,
  type ToolResultFact,
} from '@factwire/core'
import { isAllowed } from './allowed.ts'
import { blocksIn } from './blocks.ts'
import { errorOf, outcomeOf, resultOf } from './output.ts'

export const fidelity: Fidelity = {
  run_started: exact,
  assistant_message: {
    cases: [{ when: 'its text is one block', holds: isOneText, fate: exact }],
    otherwise: lossy('where one block ends and the next begins'),
  },
  assistant_thinking: {
    cases: [
      { when: 'it has no text', holds: isWordless, fate: harmless(dropped('a thought is shown by its words')) },
      { when: 'it has text alone', holds: isPlainThought, fate: exact },
    ],
    otherwise: lossy('what its provider wants back with it: that is nothing for a page'),
  },
  tool_call: {
    cases: [{ when: 'its arguments are its input', holds: isPlainCall, fate: exact }],
    otherwise: lossy('the characters that its arguments were written in, and keys that lead to a prototype'),
  },
  tool_result: {
    cases: [
      {
        when: 'somebody denied it',
        holds: ({ denied }: ToolResultFact) => denied === true,
        fate: lossy('what it says'),
      },
      { when: 'its message has the id `tool-` and that of the call', holds: isPlainResult, fate: exact },
    ],
    otherwise: lossy('the id of its message, or where one text ends and the next begins'),
  },
  awaiting: {
    cases: [{ when: 'it says whom it waits for', holds: saysWhom, fate: exact }],
    otherwise: lossy('that it did not say whom it waits for'),
  },
  continuation: {
    cases: [{ when: 'nothing was said meanwhile', holds: isSilent, fate: exact }],
    otherwise: lossy('where in its commit it stood'),
  },
  run_finished: {
    cases: [{ when: 'it says why', holds: saysWhy, fate: exact }],
    otherwise: lossy('that its cause was not told'),
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
    otherwise: lossy('when it was and how long it took: the usage of a run is one sum, under its last model'),
  },
  state_snapshot: {
    cases: [
      { when: 'it says which patches it holds', holds: saysPatches, fate: harmless(lossy('that')) },
      { when: 'no key in it leads to a prototype', holds: isAllowed, fate: exact },
    ],
    otherwise: lossy('keys that lead to a prototype: clients refuse them'),
  },
  activity_snapshot: {
    cases: [
      { when: 'it says which patches it holds', holds: saysPatches, fate: harmless(lossy('that')) },
      { when: 'no key in it leads to a prototype', holds: isAllowed, fate: exact },
    ],
    otherwise: lossy('keys that lead to a prototype: clients refuse them'),
  },
}

function saysPatches({ revision }: StateSnapshot | ActivitySnapshot): boolean {
  return revision !== undefined
}

function isOneText({ content }: AssistantMessage): boolean {
  const [block] = content
  return content.length === 1 && block?.type === 'text' && block.text !== ''
}

function isWordless({ text = '' }: AssistantThinking): boolean {
  return text === ''
}

function isPlainThought({ message_id, signature, encrypted }: AssistantThinking): boolean {
  return message_id !== undefined && signature === undefined && encrypted === undefined
}

function isPlainCall({ message_id, raw_input, input }: ToolCallFact): boolean {
  return message_id !== undefined && raw_input === undefined && isAllowed(input)
}

function isPlainResult(fact: ToolResultFact): boolean {
  const { id, message_id, name, type: _, ...result } = fact
  if (message_id !== `tool-${id}` || name === undefined || !isAllowed(result)) return false
  const outcome = outcomeOf(result, 'v6')
  if (outcome.type === 'denied') {
    const [block] = result.content
    return (
      result.is_error &&
      !result.cancelled &&
      result.content.length < 2 &&
      (!block || (block.type === 'text' && block.text !== ''))
    )
  }
  const read =
    outcome.type === 'output'
      ? resultOf(id, outcome.output, outcome.metadata, blocksIn)
      : errorOf(id, outcome.errorText, outcome.metadata, blocksIn)
  const { type: __, tool_use_id: ___, ...again } = read
  // JSON by their types, which interfaces do not say.
  return equalJson(again as unknown as Json, result as unknown as Json)
}

function saysWhom({ pending, pending_tool_use_id }: Awaiting): boolean {
  return pending !== undefined && pending_tool_use_id === (pending[0]?.tool_use_id ?? null) && isAllowed(pending)
}

function isSilent({ messages = [], detail }: Continuation): boolean {
  return messages.length === 0 && isAllowed(detail)
}

function saysWhy({ cause, exhausted, result }: RunFinished): boolean {
  return cause !== undefined && exhausted === (cause.type === 'max_steps') && isAllowed(result)
}
