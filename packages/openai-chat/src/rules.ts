/**
 * The rules of a chat stream. `rejected`: the official client gives the stream up; where its two versions differ, the stricter
 * counts. It complains of nothing, so every other rule is ours.
 */
import type { Rule } from '@factwire/core'

export const rules: Readonly<Record<string, Rule>> = {
  'choices-array': { says: 'Every chunk has a list of choices, be it empty.', force: 'rejected' },
  'choice-index': { says: 'Every choice has an index, from 0.', force: 'rejected' },
  'one-choice': { says: 'There is no choice but that of index 0.', force: 'demanded' },
  'one-response': { says: 'All chunks have the same id, time and model.', force: 'demanded' },
  'delta-only': { says: 'A choice has a delta and no message.', force: 'demanded' },
  'texts-are-text': { says: 'Content and arguments are text.', force: 'demanded' },
  'no-function-call': { says: 'Calls stand in the list of calls, not in the older form.', force: 'demanded' },

  'answer-missing': { says: 'A stream is an answer or an error.', force: 'rejected' },
  'role-first': { says: 'The first thing told is the role.', force: 'demanded' },
  'role-once': { says: 'The role is told once.', force: 'demanded' },
  'role-missing': { says: 'An answer has a role.', force: 'rejected' },
  'role-assistant': { says: 'The role is the assistant.', force: 'rejected' },
  'finish-missing': { says: 'An answer has a reason why it is finished.', force: 'rejected' },
  'finish-once': { says: 'An answer finishes once.', force: 'demanded' },
  'finish-last': { says: 'After the finish comes usage at most.', force: 'demanded' },
  'finish-fits': { says: 'The finish is tool_calls where there are calls, and nowhere else.', force: 'demanded' },
  'usage-last': { says: 'Usage comes after the finish.', force: 'demanded' },
  'usage-once': { says: 'Usage is told once.', force: 'demanded' },
  'done-missing': { says: 'The end mark closes a stream that did not fail.', force: 'demanded' },
  'nothing-after': {
    says: 'Nothing comes after the end mark, and nothing but the end mark after an error.',
    force: 'demanded',
  },

  'call-index': { says: 'Every piece of a call has the index of its call, from 0.', force: 'rejected' },
  'call-function': { says: 'A call is one of a function.', force: 'rejected' },
  'call-begins-first': { says: 'The first piece of a call has its type.', force: 'demanded' },
  'call-begins-once': { says: 'Only the first piece of a call has its id, type and name.', force: 'demanded' },
  'call-begins-whole': { says: 'Id, type and name of a call come together.', force: 'demanded' },
  'call-type': {
    says: 'A call has its type before another call, the finish or the end.',
    force: 'rejected',
  },
  'call-arguments': { says: 'A call has arguments, be they {}.', force: 'demanded' },
  'calls-from-zero': { says: 'Calls begin in the order of their indices.', force: 'demanded' },
  'call-missing': { says: 'No index of a call is left out.', force: 'rejected' },
  'calls-in-turn': { says: 'A call is complete before the next one begins.', force: 'demanded' },
  'call-ids-differ': { says: 'No two calls have the same id.', force: 'demanded' },
}
