/** What a UI message stream must not do, and what the official clients make of it if it does. */
import type { Rule, RuleForce } from '@factwire/core'

const rule = (force: RuleForce, says: string, see: string): Rule => ({ says, force, see })

/** Files of the source that is published with the client. */
const PROCESS = 'ai 6.0.326, src/ui/process-ui-message-stream.ts'
const CHUNKS = 'ai 6.0.326, src/ui-message-stream/ui-message-chunks.ts'
const ISSUES = 'https://github.com/vercel/ai/issues'

export type RuleId =
  | 'start-first'
  | 'start-once'
  | 'end-told'
  | 'done-last'
  | 'nothing-after-end'
  | 'nothing-after-error'
  | 'step-first'
  | 'step-once'
  | 'step-open'
  | 'step-closed'
  | 'open-first'
  | 'open-once'
  | 'end-closes'
  | 'step-closes'
  | 'input-first'
  | 'call-first'
  | 'one-result'
  | 'end-answers-calls'
  | 'asked-first'
  | 'reset-known'
  | 'type-known'

export const rules: Readonly<Record<RuleId, Rule>> = {
  // ── The run ──
  'start-first': rule('demanded', 'A stream begins with start: without it nobody knows the id.', `${ISSUES}/8131`),
  'start-once': rule('demanded', 'A stream starts once.', `${PROCESS}: start`),
  'end-told': rule(
    'demanded',
    'A stream ends with finish, abort or error: a client takes one that just stops as whole.',
    `${PROCESS}: finish`,
  ),
  'done-last': rule(
    'demanded',
    'The end mark comes behind the end.',
    'https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol',
  ),
  'nothing-after-end': rule('demanded', 'Nothing comes after finish: a client would still apply it.', PROCESS),
  'nothing-after-error': rule('demanded', 'Nothing comes after an error: a client has left.', `${PROCESS}: error`),

  // ── Steps and their parts ──
  'step-first': rule('demanded', 'Text, reasoning and calls stand in a step.', `${PROCESS}: start-step`),
  'step-once': rule('demanded', 'No step starts in another.', `${PROCESS}: start-step`),
  'step-open': rule('demanded', 'Only a step that has started finishes.', `${PROCESS}: finish-step`),
  'step-closed': rule('demanded', 'The last step finishes before the run does.', `${PROCESS}: finish-step`),
  'open-first': rule('rejected', 'Only text and reasoning that is open goes on or ends.', `${PROCESS}: text-delta`),
  'open-once': rule('demanded', 'Text and reasoning that is open is not started again.', `${PROCESS}: text-start`),
  'end-closes': rule(
    'demanded',
    'No text or reasoning is open when the run ends: a client shows it as still coming.',
    `${PROCESS}: text-end`,
  ),
  'step-closes': rule(
    'demanded',
    'No text or reasoning is open when its step finishes: clients before v7 lose it.',
    `${PROCESS}: finish-step`,
  ),

  // ── Calls ──
  'input-first': rule('rejected', 'Arguments come after the call has started.', `${PROCESS}: tool-input-delta`),
  'call-first': rule('rejected', 'What became of a call comes after the call.', `${PROCESS}: getToolInvocation`),
  'one-result': rule('demanded', 'A call has one result.', `${PROCESS}: tool-output-available`),
  'end-answers-calls': rule(
    'demanded',
    'A run that does not wait leaves no call without a result: a page shows it as running for ever.',
    `${PROCESS}: tool-input-available`,
  ),
  'asked-first': rule(
    'rejected',
    'An approval is answered after it was asked for.',
    `${PROCESS}: tool-approval-response`,
  ),

  // ── Versions ──
  'reset-known': rule('rejected', 'Only clients from 7.0.77 on take a step back.', CHUNKS),
  'type-known': rule('rejected', 'A type that the client does not know is not sent.', CHUNKS),
}
