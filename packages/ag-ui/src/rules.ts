/** What an event stream must not do, and what the official client (1.0.0) makes of it if it does. */
import type { Rule, RuleForce } from '@factwire/core'

const rule = (force: RuleForce, says: string): Rule => ({ says, force })

export type RuleId =
  | 'start-of-run'
  | 'error-after-start'
  | 'one-run-at-a-time'
  | 'one-run-a-stream'
  | 'nothing-after-finish'
  | 'no-error-after-finish'
  | 'nothing-after-error'
  | 'end-of-run'
  | 'start-once'
  | 'start-first'
  | 'finish-closes'
  | 'reasoning-start-once'
  | 'reasoning-start-first'
  | 'finish-closes-reasoning'
  | 'subagent-once'
  | 'subagent-parent'
  | 'chunk-names-its-item'
  | 'result-after-end'
  | 'one-result'
  | 'end-answers-calls'
  | 'one-kind-an-id'
  | 'fresh-result-id'
  | 'activity-keeps-its-id'
  | 'call-keeps-its-name'
  | 'parent-is-assistant'
  | 'patch-of-activity'
  | 'value-after-its-item'
  | 'snapshot-keeps-open'

export const rules: Readonly<Record<RuleId, Rule>> = {
  // ── The run ──
  'start-of-run': rule('rejected', 'A stream begins with RUN_STARTED.'),
  'error-after-start': rule('demanded', 'A run starts before it fails.'),
  'one-run-at-a-time': rule('rejected', 'No run starts while another is open.'),
  'one-run-a-stream': rule('demanded', 'A stream holds one run.'),
  'nothing-after-finish': rule('rejected', 'Nothing comes after RUN_FINISHED.'),
  'no-error-after-finish': rule('demanded', 'A run that has finished does not fail.'),
  'nothing-after-error': rule('rejected', 'Nothing comes after RUN_ERROR.'),
  'end-of-run': rule('demanded', 'A stream ends with RUN_FINISHED or RUN_ERROR.'),

  // ── What opens and closes ──
  'start-once': rule('rejected', 'What is open is not started again: a step, a text, a call, a subagent.'),
  'start-first': rule('rejected', 'Only what is open goes on or ends: a step, a text, a call, a subagent.'),
  'finish-closes': rule('rejected', 'RUN_FINISHED leaves no step, text, call or subagent open.'),
  'reasoning-start-once': rule('rejected', 'Reasoning that is open is not started again.'),
  'reasoning-start-first': rule('rejected', 'Only reasoning that is open goes on or ends.'),
  'finish-closes-reasoning': rule('rejected', 'RUN_FINISHED leaves no reasoning open.'),
  'subagent-once': rule('rejected', 'A subagent that has ended does not start again.'),
  'subagent-parent': rule('rejected', 'A subagent that another one started names one that has started.'),
  'chunk-names-its-item': rule(
    'rejected',
    'A chunk that goes on with nothing says what it begins: its id, and the name of a call.',
  ),

  // ── Calls ──
  'result-after-end': rule('demanded', 'The result of a call comes after its end.'),
  'one-result': rule('demanded', 'A call has one result: a client keeps each.'),
  'end-answers-calls': rule(
    'demanded',
    'A run that does not wait leaves no call without a result: a client would take it as its own to run.',
  ),

  // ── Ids ──
  'one-kind-an-id': rule(
    'demanded',
    'An id stands for one message of one kind: a client adds to what it finds under the id.',
  ),
  'fresh-result-id': rule('demanded', 'The id of a result is new: a client keeps two messages of one id.'),
  'activity-keeps-its-id': rule('warned', 'No text, thought or call uses the id of an activity.'),
  'call-keeps-its-name': rule('warned', 'A call that starts again has the name that it had.'),
  'parent-is-assistant': rule('warned', 'The parent of a call is an assistant message.'),
  'patch-of-activity': rule('warned', 'Only an activity is patched.'),
  'value-after-its-item': rule('demanded', 'An encrypted value comes after what it belongs to: a client drops it.'),

  // ── Snapshots ──
  'snapshot-keeps-open': rule('warned', 'A snapshot holds every message and call that goes on after it.'),
}
