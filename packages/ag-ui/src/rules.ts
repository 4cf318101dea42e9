/** What an event stream must not do, and what the official client (1.0.0) makes of it if it does. */
import type { Rule, RuleForce } from '@factwire/core'

const rule = (force: RuleForce, says: string, see: string): Rule => ({ says, force, see })

/** Files of the source that is published with the client. */
const VERIFY = '@ag-ui/client 1.0.0, src/verify/verify.ts'
const CHUNKS = '@ag-ui/client 1.0.0, src/chunks/transform.ts'
const APPLY = '@ag-ui/client 1.0.0, src/apply/default.ts'

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
  | 'chunk-repeats-itself'
  | 'one-owner'
  | 'call-of-its-parent'
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
  'start-of-run': rule('rejected', 'A stream begins with RUN_STARTED.', `${VERIFY}: firstEventReceived`),
  'error-after-start': rule('demanded', 'A run starts before it fails.', `${VERIFY}: firstEventReceived`),
  'one-run-at-a-time': rule('rejected', 'No run starts while another is open.', `${VERIFY}: runStarted`),
  'one-run-a-stream': rule('demanded', 'A stream holds one run.', `${VERIFY}: resetRunState`),
  'nothing-after-finish': rule('rejected', 'Nothing comes after RUN_FINISHED.', `${VERIFY}: runFinished`),
  'no-error-after-finish': rule('demanded', 'A run that has finished does not fail.', `${VERIFY}: runFinished`),
  'nothing-after-error': rule('rejected', 'Nothing comes after RUN_ERROR.', `${VERIFY}: runError`),
  'end-of-run': rule(
    'demanded',
    'A stream ends with RUN_FINISHED or RUN_ERROR.',
    'https://github.com/ag-ui-protocol/ag-ui/issues/2300',
  ),

  // ── What opens and closes ──
  'start-once': rule(
    'rejected',
    'What is open is not started again: a step, a text, a call, a subagent.',
    `${VERIFY}: TEXT_MESSAGE_START, TOOL_CALL_START, STEP_STARTED, SUBAGENT_STARTED`,
  ),
  'start-first': rule(
    'rejected',
    'Only what is open goes on or ends: a step, a text, a call, a subagent.',
    `${VERIFY}: TEXT_MESSAGE_CONTENT, TOOL_CALL_ARGS, STEP_FINISHED, SUBAGENT_FINISHED`,
  ),
  'finish-closes': rule(
    'rejected',
    'RUN_FINISHED leaves no step, text, call or subagent open.',
    `${VERIFY}: RUN_FINISHED`,
  ),
  'reasoning-start-once': rule(
    'rejected',
    'Reasoning that is open is not started again.',
    `${VERIFY}: REASONING_START`,
  ),
  'reasoning-start-first': rule('rejected', 'Only reasoning that is open goes on or ends.', `${VERIFY}: REASONING_END`),
  'finish-closes-reasoning': rule('rejected', 'RUN_FINISHED leaves no reasoning open.', `${VERIFY}: RUN_FINISHED`),
  'subagent-once': rule('rejected', 'A subagent that has ended does not start again.', `${VERIFY}: closedSubagents`),
  'subagent-parent': rule(
    'rejected',
    'A subagent that another one started names one that has started.',
    `${VERIFY}: SUBAGENT_STARTED`,
  ),
  'chunk-names-its-item': rule(
    'rejected',
    'A chunk that goes on with nothing says what it begins: its id, and the name of a call.',
    `${CHUNKS}: TOOL_CALL_CHUNK`,
  ),
  'chunk-repeats-itself': rule(
    'rejected',
    'A chunk that goes on and repeats a role, a name or a parent says what the first one said.',
    `${CHUNKS}: requireOpenerAgreement`,
  ),
  'one-owner': rule(
    'rejected',
    'Only the subagent that began it goes on with it, or the run itself where none did: a message, a call, reasoning, an activity.',
    `${VERIFY}: subagentTagError`,
  ),
  'call-of-its-parent': rule(
    'rejected',
    'A call is of the subagent whose message makes it.',
    `${VERIFY}: TOOL_CALL_START`,
  ),

  // ── Calls ──
  'result-after-end': rule('demanded', 'The result of a call comes after its end.', `${VERIFY}: TOOL_CALL_RESULT`),
  'one-result': rule('demanded', 'A call has one result: a client keeps each.', `${APPLY}: TOOL_CALL_RESULT`),
  'end-answers-calls': rule(
    'demanded',
    'A run that does not wait leaves no call without a result: a client would take it as its own to run.',
    `${APPLY}: pendingToolCallIdsOf`,
  ),

  // ── Ids ──
  'one-kind-an-id': rule(
    'demanded',
    'An id stands for one message of one kind: a client adds to what it finds under the id.',
    `${APPLY}: TEXT_MESSAGE_START`,
  ),
  'fresh-result-id': rule(
    'demanded',
    'The id of a result is new: a client keeps two messages of one id.',
    `${APPLY}: TOOL_CALL_RESULT`,
  ),
  'activity-keeps-its-id': rule(
    'warned',
    'No text, thought or call uses the id of an activity.',
    `${APPLY}: TEXT_MESSAGE_CONTENT`,
  ),
  'call-keeps-its-name': rule(
    'warned',
    'A call that starts again has the name that it had.',
    `${APPLY}: TOOL_CALL_START`,
  ),
  'parent-is-assistant': rule('warned', 'The parent of a call is an assistant message.', `${APPLY}: TOOL_CALL_START`),
  'patch-of-activity': rule('warned', 'Only an activity is patched.', `${APPLY}: ACTIVITY_DELTA`),
  'value-after-its-item': rule(
    'demanded',
    'An encrypted value comes after what it belongs to: a client drops it.',
    `${APPLY}: REASONING_ENCRYPTED_VALUE`,
  ),

  // ── Snapshots ──
  'snapshot-keeps-open': rule(
    'warned',
    'A snapshot holds every message and call that goes on after it.',
    `${APPLY}: MESSAGES_SNAPSHOT`,
  ),
}
