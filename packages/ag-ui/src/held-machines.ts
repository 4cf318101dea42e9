/** What the client of an event stream holds: messages and calls under their ids, and whose they are. */
import type { Machine, MachineState, Step } from '@factwire/core'
import { breaks, state } from './machine.ts'

/** What a snapshot holds is as the snapshot says. */
const GIVEN = {
  given_assistant: 'assistant',
  given_other: 'other',
  given_result: 'result',
  given_thought: 'thought',
  given_activity: 'activity',
}

const ABSENT = {
  ...GIVEN,
  text: 'assistant',
  other_text: 'other',
  thought: 'thought',
  parent: 'assistant',
  own_call: 'assistant',
  result: 'result',
  activity: 'activity',
  sealed: breaks('value-after-its-item'),
}

/** Under an id that stands for another kind of message. */
const MISUSED = {
  ...GIVEN,
  text: breaks('one-kind-an-id'),
  other_text: breaks('one-kind-an-id'),
  thought: breaks('one-kind-an-id'),
  parent: breaks('parent-is-assistant'),
  own_call: breaks('one-kind-an-id'),
  result: breaks('fresh-result-id'),
  activity: breaks('one-kind-an-id', 'activity'),
  activity_kept: breaks('one-kind-an-id'),
  patch: breaks('patch-of-activity'),
}

const ACTIVITY_MISUSED = breaks('activity-keeps-its-id')

/** By message id. An `other` text is somebody else's than the assistant's. */
export const message: Machine = {
  initial: 'unknown',
  states: {
    // It may be of an earlier run.
    unknown: state({ ...ABSENT, activity_kept: 'activity' }),
    lost: state(
      {
        ...ABSENT,
        activity_kept: 'activity',
        content: breaks('snapshot-keeps-open'),
        thought_content: breaks('snapshot-keeps-open'),
      },
      { rest: true },
    ),
    assistant: held({ text: 'assistant', other_text: 'assistant', parent: 'assistant', snapshot: 'lost' }),
    other: held({ text: 'other', other_text: 'other', snapshot: 'lost' }),
    result: held({ snapshot: 'lost' }),
    // A snapshot leaves thoughts as they are where it has none, and activities too.
    thought: held({ thought: 'thought', snapshot_of_thoughts: 'lost' }),
    activity: held({
      text: ACTIVITY_MISUSED,
      other_text: ACTIVITY_MISUSED,
      thought: ACTIVITY_MISUSED,
      content: ACTIVITY_MISUSED,
      thought_content: ACTIVITY_MISUSED,
      activity: 'activity',
      activity_kept: 'activity',
      patch: 'activity',
      sealed: breaks('value-after-its-item'),
      snapshot_of_activities: 'lost',
    }),
  },
}

function held(on: Readonly<Record<string, Step>>): MachineState {
  return state({ ...MISUSED, ...on }, { rest: true })
}

/** By call id: whether the client has it in one of its messages. */
export const kept_call: Machine = {
  initial: 'unknown',
  states: {
    unknown: state({ start: 'there', given: 'there', sealed: breaks('value-after-its-item') }),
    there: state({ renamed: breaks('call-keeps-its-name'), snapshot: 'lost' }, { rest: true }),
    lost: state(
      {
        start: 'there',
        given: 'there',
        content: breaks('snapshot-keeps-open'),
        sealed: breaks('value-after-its-item'),
      },
      { rest: true },
    ),
  },
}

/** By call id and name: whether the client has met the call under that name. */
export const call_name: Machine = {
  initial: 'unknown',
  states: {
    unknown: state({ met: 'known' }),
    known: state({ snapshot: 'unknown' }, { rest: true }),
  },
}

/** By who it is, for each message, call, piece of reasoning and activity: whether it is theirs. The run itself is one of them. */
export const owner: Machine = {
  initial: 'free',
  states: {
    free: state({ begin: 'mine', claim: 'mine', give: 'mine', taken: 'theirs', given_away: 'theirs' }, { rest: true }),
    mine: state({ given_away: 'theirs', forget: 'free' }, { rest: true }),
    theirs: state(
      {
        begin: breaks('one-owner'),
        go_on: breaks('one-owner'),
        make_call: breaks('call-of-its-parent'),
        give: 'mine',
        forget: 'free',
      },
      { rest: true },
    ),
  },
}
