/** What each event of the SSE wire does, and to which run, step, call or value. */
import type { ItemState, Move } from '@factwire/core'
import { flatMessages } from './parse-messages.ts'
import { callsOf, resultsOf } from './snapshot.ts'
import type { FlatEvent, FlatMessage, RunFinishEvent, ToolCallDoneEvent } from './wire.ts'

/** A run that is told to start while it runs goes on as it was. */
const begun: ItemState = { machine: 'run', states: ['started'] }
const running: ItemState = { machine: 'run', states: ['started', 'running'] }
const say: Move = { machine: 'run', input: 'say' }
const allIds = (input: string): Move => ({ machine: 'step id', input, every: true })
const allCalls = (input: string): Move => ({ machine: 'call', input, every: true })
/** Outside a step a client begins one, without an id. */
const outside: ItemState = { machine: 'step', states: ['none', 'closed'] }
const content: readonly Move[] = [
  say,
  { ...allIds('another'), when: outside },
  { ...allCalls('next'), when: outside },
  { machine: 'step', input: 'content' },
  allIds('content'),
]
const ofCall = (key: string, input: string): Move => ({ machine: 'call', key, input })
const stepOver: Move = { machine: 'step', input: 'over' }
const over: readonly Move[] = [stepOver, allCalls('over')]

export function moves(event: FlatEvent): readonly Move[] {
  switch (event.event_type) {
    case 'run_start':
      return [
        { machine: 'run', input: 'start' },
        { machine: 'identity', key: event.run_id, input: 'start' },
        { ...allIds('another'), when: begun },
        { ...allCalls('next'), when: begun },
      ]
    case 'run_finish':
      return finish(event)
    case 'error':
      return [...over, { machine: 'run', input: 'fail' }]
    case 'messages_snapshot':
      return [{ machine: 'run', input: 'history' }, ...flatMessages(event.messages).flatMap(stored)]
    case 'step_start':
      return [say, { machine: 'step', input: 'start' }, ...ofStep(event.message_id), allCalls('next')]
    case 'step_end':
      return [say, { machine: 'step', input: 'end' }, allIds('end')]
    case 'stream_reset':
      return [say, { machine: 'step', input: 'reset' }, allIds('reset'), allCalls('reset')]
    case 'text_delta':
    case 'reasoning_delta':
    case 'reasoning_encrypted_value':
      return content
    case 'tool_call_start':
      return [...content, ofCall(event.id, 'start')]
    case 'tool_call_delta':
      return [say, ofCall(event.id, 'arguments')]
    case 'tool_call_ready':
      return [...content, ofCall(event.id, 'ready')]
    case 'tool_call_done':
      return [say, ofCall(event.id, inputOf(event))]
    case 'tool_call_stream_delta':
      return [say, ofCall(event.id, 'output')]
    case 'tool_call_resumed':
      return [say, ofCall(event.target_id, 'resumed')]
    case 'tool_call_cancel':
      return [say, ofCall(event.id, 'cancel')]
    case 'inference_complete':
      return [say]
    case 'state_snapshot':
      return [say, { machine: 'value', input: 'whole' }]
    case 'state_delta':
      return [say, { machine: 'value', input: 'patch' }]
    case 'activity_snapshot':
    case 'activity_delta': {
      const key = JSON.stringify([event.message_id, event.activity_type])
      return [say, { machine: 'value', key, input: event.event_type === 'activity_delta' ? 'patch' : 'whole' }]
    }
    default:
      event satisfies never
      return []
  }
}

/** The run last: once it is over, nobody hears. */
function finish({ run_id, termination }: RunFinishEvent): readonly Move[] {
  const identified: Move = { machine: 'identity', key: run_id, input: 'finish', when: running }
  switch (termination.type) {
    case 'suspended':
      return [identified, stepOver, allCalls('suspend'), { machine: 'run', input: 'suspend' }]
    case 'error':
      return [identified, ...over, { machine: 'run', input: 'fail' }]
    default:
      return [identified, ...over, { machine: 'run', input: 'finish' }]
  }
}

const inputOf = ({ result }: ToolCallDoneEvent): string => (result.status === 'pending' ? 'pend' : 'done')

/** The step that is current already begins anew, and what it had is gone. Steps without an id are never the same. */
function ofStep(key: string): readonly Move[] {
  if (key === '') return [allIds('another')]
  const current: ItemState = { machine: 'step id', key, states: ['blank', 'shown', 'over'] }
  return [
    { ...allCalls('reset'), when: current },
    { ...allIds('another'), key },
    { machine: 'step id', key, input: 'start' },
  ]
}

const stored = (given: FlatMessage): readonly Move[] => [
  ...callsOf(given).map(({ id }) => ofCall(id, 'stored')),
  ...resultsOf(given).map(({ id }) => ofCall(id, 'stored result')),
]
