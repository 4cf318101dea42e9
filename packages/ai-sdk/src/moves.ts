/** What a chunk does to the message that a client builds, in the words of the grammar. */
import { isObject, type Move } from '@factwire/core'
import { DONE, type Target, type UiFrame } from './wire.ts'

const run = (input: string): Move => ({ machine: 'run', input })
const of = (machine: string, key: string, input: string): Move => ({ machine, key, input })
const all = (machine: string, input: string): Move => ({ machine, input, every: true })
const CHUNK = run('chunk')
const IN_STEP: Move = { machine: 'step', input: 'part' }

const UNKNOWN: Readonly<Record<Target, ReadonlySet<string>>> = {
  v5: new Set(['tool-approval-request', 'tool-approval-response', 'tool-output-denied']),
  v6: new Set(['tool-approval-response']),
  v7: new Set(),
}

export function movesFor(target: Target, frame: UiFrame): readonly Move[] {
  if (frame === DONE) return [run('done')]
  if (UNKNOWN[target].has(frame.type)) return [{ machine: 'chunk', input: 'unknown' }]
  switch (frame.type) {
    case 'start':
      // The client has calls from before.
      return endIn(frame.messageMetadata) === null
        ? [run('start'), all('part', 'goes_on'), all('approval', 'goes_on')]
        : [run('start')]
    case 'start-step':
      return [CHUNK, { machine: 'step', input: 'start' }, all('part', 'step'), all('call', 'step')]
    case 'finish-step':
      return [CHUNK, { machine: 'step', input: 'finish' }, all('text', 'step'), all('reasoning', 'step')]
    case 'reset-step':
      if (target !== 'v7') return [{ machine: 'chunk', input: 'reset' }]
      return [CHUNK, ...resetMoves]
    case 'text-start':
    case 'reasoning-start':
      return [CHUNK, IN_STEP, of(kindOf(frame.type), frame.id, 'start')]
    case 'text-delta':
    case 'reasoning-delta':
      return [CHUNK, of(kindOf(frame.type), frame.id, 'content')]
    case 'text-end':
    case 'reasoning-end':
      return [CHUNK, of(kindOf(frame.type), frame.id, 'end')]
    case 'tool-input-start':
      return [CHUNK, IN_STEP, of('input', frame.toolCallId, 'start'), ...begins(frame.toolCallId)]
    case 'tool-input-delta': {
      const { toolCallId } = frame
      const begun = { machine: 'input', key: toolCallId, states: ['begun'] }
      return [CHUNK, of('input', toolCallId, 'content'), { ...of('part', toolCallId, 'put'), when: begun }]
    }
    case 'tool-input-available':
    case 'tool-input-error':
      return [CHUNK, IN_STEP, ...begins(frame.toolCallId)]
    case 'tool-approval-request':
      return [CHUNK, uses(frame.toolCallId), of('approval', frame.approvalId, 'ask')]
    case 'tool-approval-response':
      return [CHUNK, of('approval', frame.approvalId, 'respond')]
    case 'tool-output-available':
    case 'tool-output-error':
    case 'tool-output-denied':
      return [CHUNK, uses(frame.toolCallId), of('call', frame.toolCallId, 'answer')]
    case 'finish':
      return finishMoves(waits(frame.messageMetadata))
    case 'error':
      return [...endMoves, all('call', 'run_ends'), run('error')]
    case 'abort':
      return [...endMoves, all('call', 'run_ends'), run('abort')]
    case 'message-metadata':
    case 'other':
      return [CHUNK]
    default:
      return [CHUNK]
  }
}

const kindOf = (type: string): string => (type.startsWith('text') ? 'text' : 'reasoning')

const begins = (id: string): readonly Move[] => [of('part', id, 'put'), of('call', id, 'begin')]
const uses = (id: string): Move => of('part', id, 'use')

/** Whether a step may be taken back is seen by what its client still has. */
const resetMoves: readonly Move[] = [
  all('text', 'reset'),
  all('reasoning', 'reset'),
  all('input', 'reset'),
  all('part', 'reset'),
  all('call', 'reset'),
]

const endMoves: readonly Move[] = [
  all('text', 'run_ends'),
  all('reasoning', 'run_ends'),
  { machine: 'step', input: 'run_ends' },
]

function finishMoves(waiting: boolean): readonly Move[] {
  return waiting ? [...endMoves, run('wait')] : [...endMoves, all('call', 'run_ends'), run('finish')]
}

/** Only metadata says it: a run that waits for a call finishes as one that ended with calls. */
function waits(metadata: unknown): boolean {
  const end = endIn(metadata)
  return isObject(end) && end['type'] === 'awaiting'
}

function endIn(metadata: unknown): unknown {
  const factwire = isObject(metadata) ? metadata['factwire'] : undefined
  return isObject(factwire) ? factwire['end'] : undefined
}
