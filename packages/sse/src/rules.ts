/** The rules of the SSE wire, by id. */
import type { Rule } from '@factwire/core'

const demanded = (says: string): Rule => ({ says, force: 'demanded' })
/** The client lets it go. */
const warned = (says: string): Rule => ({ says, force: 'warned' })
const rejected = (says: string): Rule => ({ says, force: 'rejected' })

export const rules: Readonly<Record<string, Rule>> = {
  'run-starts-first': demanded('Nothing comes before run_start.'),
  'no-success-unstarted': rejected('A run that has not started ends in no other way than an error.'),
  'run-starts-once': demanded('A run starts once, and again only after it was suspended.'),
  'run-ends': demanded('A stream ends with run_finish or error.'),
  'nothing-after-end': warned('Nothing comes after run_finish or error.'),
  'ended-run-rests': demanded('A run that has finished or failed does not start again.'),
  'end-names-its-run': demanded('run_finish names the run that run_start named.'),
  'history-first': demanded('messages_snapshot comes right after run_start.'),

  'content-in-step': demanded('Text, reasoning and calls come between step_start and step_end.'),
  'reset-of-a-step': demanded('stream_reset takes back the last step, so one has started.'),
  'step-ends-once': demanded('step_end ends a step that is open.'),
  'step-closes': demanded('The last step ends before the run does.'),
  'step-starts-once': demanded('After a step has ended, the next has another id.'),

  'call-starts-first': demanded('tool_call_ready comes after tool_call_start, in the same step.'),
  'call-starts-once': demanded('The id of a call is used once, and again only after that call was taken back.'),
  'arguments-of-open-call': warned('tool_call_delta comes between tool_call_start and tool_call_ready.'),
  'ready-once': demanded('A call is made once.'),
  'ready-before-result': demanded('A call has a result only after tool_call_ready.'),
  'output-of-open-call': warned('A call prints only between tool_call_start and its result.'),
  'prints-while-running': demanded('A call prints only while it runs: not before tool_call_ready, not while it waits.'),
  'result-of-known-call': demanded('tool_call_done is for a call that the stream has told of.'),
  'one-result': demanded('A call has one result.'),
  'cancel-of-known-call': demanded('tool_call_cancel is for a call that has started.'),
  'cancel-before-ready': demanded('A call that was made is not cancelled: it has a result that says so.'),
  'call-ends': demanded('Every call ends before the run does, and is made before the run waits.'),
}
