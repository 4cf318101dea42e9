/** The rules of the SSE wire, by id. */
import type { Rule } from '@factwire/core'

const demanded = (says: string, see: string): Rule => ({ says, force: 'demanded', see })
/** The client lets it go. */
const warned = (says: string, see: string): Rule => ({ says, force: 'warned', see })
const rejected = (says: string, see: string): Rule => ({ says, force: 'rejected', see })

/** Where the wire is described, and the client that comes with it. */
const PAGE = 'Awaken 0.6, Events'
const CLIENT = '@factwire/sse, src/reduce.ts'

export const rules: Readonly<Record<string, Rule>> = {
  'run-starts-first': demanded('Nothing comes before run_start.', `${PAGE}: run_start`),
  'no-success-unstarted': rejected(
    'A run that has not started ends in no other way than an error.',
    `${CLIENT}: run_finish`,
  ),
  'run-starts-once': demanded('A run starts once, and again only after it was suspended.', `${PAGE}: run_start`),
  'run-ends': demanded('A stream ends with run_finish or error.', `${PAGE}: run_finish`),
  'nothing-after-end': warned('Nothing comes after run_finish or error.', `${CLIENT}: run_finish`),
  'ended-run-rests': demanded('A run that has finished or failed does not start again.', `${CLIENT}: run_start`),
  'end-names-its-run': demanded('run_finish names the run that run_start named.', `${PAGE}: run_finish`),
  'history-first': demanded('messages_snapshot comes right after run_start.', `${PAGE}: messages_snapshot`),

  'content-in-step': demanded('Text, reasoning and calls come between step_start and step_end.', `${PAGE}: step_start`),
  'reset-of-a-step': demanded('stream_reset takes back the last step, so one has started.', `${PAGE}: stream_reset`),
  'step-ends-once': demanded('step_end ends a step that is open.', `${PAGE}: step_end`),
  'step-closes': demanded('The last step ends before the run does.', `${PAGE}: step_end`),
  'step-starts-once': demanded('After a step has ended, the next has another id.', `${PAGE}: step_start`),

  'call-starts-first': demanded(
    'tool_call_ready comes after tool_call_start, in the same step.',
    `${PAGE}: tool_call_ready`,
  ),
  'call-starts-once': demanded(
    'The id of a call is used once, and again only after that call was taken back.',
    `${PAGE}: tool_call_start`,
  ),
  'arguments-of-open-call': warned(
    'tool_call_delta comes between tool_call_start and tool_call_ready.',
    `${CLIENT}: tool_call_delta`,
  ),
  'ready-once': demanded('A call is made once.', `${PAGE}: tool_call_ready`),
  'ready-before-result': demanded('A call has a result only after tool_call_ready.', `${PAGE}: tool_call_done`),
  'output-of-open-call': warned(
    'A call prints only between tool_call_start and its result.',
    `${CLIENT}: tool_call_stream_delta`,
  ),
  'prints-while-running': demanded(
    'A call prints only while it runs: not before tool_call_ready, not while it waits.',
    `${PAGE}: tool_call_stream_delta`,
  ),
  'result-of-known-call': demanded(
    'tool_call_done is for a call that the stream has told of.',
    `${PAGE}: tool_call_done`,
  ),
  'one-result': demanded('A call has one result.', `${PAGE}: tool_call_done`),
  'cancel-of-known-call': demanded('tool_call_cancel is for a call that has started.', `${PAGE}: tool_call_cancel`),
  'cancel-before-ready': demanded(
    'A call that was made is not cancelled: it has a result that says so.',
    `${PAGE}: tool_call_cancel`,
  ),
  'call-ends': demanded(
    'Every call ends before the run does, and is made before the run waits.',
    `${PAGE}: tool_call_done`,
  ),
}
