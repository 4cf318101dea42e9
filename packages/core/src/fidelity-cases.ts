/** What several wires say in the same words of what becomes of a fact. */
import type { Awaiting, RunFailed, RunFinished } from './event.ts'
import { dropped, exact, type FidelityCase } from './fidelity.ts'

export const waitsForClient: FidelityCase<Awaiting> = {
  when: 'it waits for nothing but calls that the client runs',
  holds({ pending_tool_use_id, pending = [] }) {
    const [first] = pending
    return (
      first !== undefined &&
      first.tool_use_id === pending_tool_use_id &&
      pending.every((entry) => entry.kind === 'client' && Object.keys(entry).length === 2)
    )
  },
  fate: exact,
}

export const waitsForNobody: FidelityCase<Awaiting> = {
  when: 'nobody is named to wait for',
  holds: ({ pending_tool_use_id, pending = [] }) => pending_tool_use_id === null && pending.length === 0,
  fate: dropped('the run fails, because its client can do nothing'),
}

export const wasCancelled: FidelityCase<RunFinished> = {
  when: 'somebody has ended it',
  holds: ({ cause }) => cause?.type === 'cancelled',
  fate: dropped('the run fails, because what was cut off is no answer'),
}

export const failedPlainly: FidelityCase<RunFailed> = {
  when: 'its code is a word of lower-case letters and digits, and there is a message',
  holds({ code, message }) {
    const word = /^(?=.*[a-z])[a-z0-9]+(_[a-z0-9]+)*$/.test(code) && code.length <= 64
    return word && message.length > 0 && message.length <= 4000
  },
  fate: exact,
}
