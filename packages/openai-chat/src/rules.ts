/**
 * The rules of a chat stream. `rejected`: the official client gives the stream up; where its two versions differ, the stricter
 * counts. It complains of nothing, so every other rule is ours.
 */
import type { Rule, RuleForce } from '@factwire/core'

const rule = (force: RuleForce, says: string, see: string): Rule => ({ says, force, see })

/** The description of the wire, by the names of its fields. */
const API = 'https://platform.openai.com/docs/api-reference/chat-streaming/streaming'
/** Files of the source that is published with the client. */
const STREAM = 'openai 7.59.0, src/lib/ChatCompletionStream.ts'
const RUNNER = 'openai 7.59.0, src/lib/AbstractChatCompletionRunner.ts'
const WIRE = 'openai 7.59.0, src/core/streaming.ts'

export const rules: Readonly<Record<string, Rule>> = {
  'choices-array': rule(
    'rejected',
    'Every chunk has a list of choices, be it empty.',
    `${STREAM}: #accumulateChatCompletion`,
  ),
  'choice-index': rule('rejected', 'Every choice has an index, from 0.', `${STREAM}: #accumulateChatCompletion`),
  'one-choice': rule('demanded', 'There is no choice but that of index 0.', `${API} (choices)`),
  'choice-missing': rule('rejected', 'No index of a choice is left out.', `${STREAM}: mapCapturedSnapshotArray`),
  'one-response': rule('demanded', 'All chunks have the same id, time and model.', `${STREAM}: _fromReadableStream`),
  'delta-only': rule('demanded', 'A choice has a delta and no message.', `${STREAM}: #accumulateChatCompletion`),
  'texts-are-text': rule('demanded', 'Content and arguments are text.', `${API} (delta)`),
  'no-function-call': rule('demanded', 'Calls stand in the list of calls, not in the older form.', `${API} (delta)`),

  'answer-missing': rule('rejected', 'A stream is an answer or an error.', `${STREAM}: #endRequest`),
  'role-first': rule('demanded', 'The first thing told is the role.', `${API} (delta)`),
  'role-once': rule('demanded', 'The role is told once.', `${API} (delta)`),
  'role-missing': rule('rejected', 'An answer has a role.', `${STREAM}: finalizeChatCompletion`),
  'role-assistant': rule('rejected', 'The role is the assistant.', `${RUNNER}: #getFinalMessage`),
  'finish-missing': rule('rejected', 'An answer has a reason why it is finished.', `${STREAM}: finalizeChatCompletion`),
  'finish-once': rule('demanded', 'An answer finishes once.', `${API} (finish_reason)`),
  'finish-last': rule('demanded', 'After the finish comes usage at most.', `${API} (finish_reason)`),
  'finish-fits': rule(
    'demanded',
    'The finish is tool_calls where there are calls, and nowhere else.',
    `${API} (finish_reason)`,
  ),
  'usage-last': rule('demanded', 'Usage comes after the finish.', `${API} (usage)`),
  'usage-once': rule('demanded', 'Usage is told once.', `${STREAM}: #accumulateChatCompletion`),
  'done-missing': rule('demanded', 'The end mark closes a stream that did not fail.', `${WIRE}: fromSSEResponse`),
  'nothing-after': rule(
    'demanded',
    'Nothing comes after the end mark, and nothing but the end mark after an error.',
    `${WIRE}: fromSSEResponse`,
  ),

  'call-index': rule(
    'rejected',
    'Every piece of a call has the index of its call, from 0.',
    `${STREAM}: #accumulateChatCompletion`,
  ),
  'call-function': rule('rejected', 'A call is one of a function.', `${STREAM}: #addChunk`),
  'call-begins-first': rule(
    'demanded',
    'The first piece of a call has its type.',
    `${STREAM}: #accumulateChatCompletion`,
  ),
  'call-begins-once': rule(
    'demanded',
    'Only the first piece of a call has its id, type and name.',
    `${STREAM}: #accumulateChatCompletion`,
  ),
  'call-begins-whole': rule(
    'demanded',
    'Id, type and name of a call come together.',
    `${STREAM}: #accumulateChatCompletion`,
  ),
  'call-type': rule(
    'rejected',
    'A call has its type before another call, the finish or the end.',
    `${STREAM}: #emitToolCallDoneEvent`,
  ),
  'call-arguments': rule('demanded', 'A call has arguments, be they {}.', `${API} (tool_calls)`),
  'calls-from-zero': rule(
    'demanded',
    'Calls begin in the order of their indices.',
    `${STREAM}: #accumulateChatCompletion`,
  ),
  'call-missing': rule('rejected', 'No index of a call is left out.', `${STREAM}: finalizeChatCompletion`),
  'calls-in-turn': rule(
    'demanded',
    'A call is complete before the next one begins.',
    `${STREAM}: #emitToolCallDoneEvent`,
  ),
  'call-ids-differ': rule('demanded', 'No two calls have the same id.', `${API} (tool_calls)`),
}
