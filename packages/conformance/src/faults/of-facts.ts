/** Faults of a transcoder that takes facts for something else than they are. */
import type { Fact, Transcoder } from '@factwire/core'
import { type Fault, hasPlaceFor, tampered } from '../fault.ts'

type Tell = (fact: Fact, inner: Transcoder<unknown>) => readonly unknown[]

/** A fault that any wire can have. */
function fault(name: string, law: string, type: Fact['type'], tell: Tell): Fault {
  return {
    name,
    law,
    sabotage: (subject) =>
      tampered(subject, () => ({
        fact: (fact, inner) => (fact.type === type ? tell(fact, inner) : inner.fact(fact)),
      })),
  }
}

/** One in what a fact is told as: a wire that has no place for the fact cannot tell it wrong. */
function mistold(name: string, law: string, type: Fact['type'], tell: Tell): Fault {
  const told = fault(name, law, type, tell)
  return {
    ...told,
    sabotage: (subject) => (hasPlaceFor(subject, type) ? told.sabotage(subject) : undefined),
  }
}

const finished: Fact = { type: 'run_finished', exhausted: false, cause: { type: 'natural_end' } }

export const factFaults: readonly Fault[] = [
  mistold('a failure is told as success', 'one end', 'run_failed', (_fact, inner) => inner.fact(finished)),
  mistold('a run that waits is told as finished', 'shows the truth', 'awaiting', (_fact, inner) =>
    inner.fact(finished),
  ),
  fault('the run is finished after each step', 'shows the truth', 'step_ended', (fact, inner) => [
    ...inner.fact(fact),
    ...inner.settled(),
    ...inner.fact(finished),
  ]),
  mistold('the results of calls are forgotten', 'shows the truth', 'tool_result', () => []),
  mistold('the state is forgotten', 'shows the truth', 'state_snapshot', () => []),
  mistold('calls are forgotten', 'shows the truth', 'tool_call', () => []),
  mistold('a call that nobody is to run is offered to the client', 'shows the truth', 'tool_call', (fact, inner) =>
    inner.fact(fact.type === 'tool_call' ? { ...fact, name: 'ask_user', disposition: 'pending_client' } : fact),
  ),
  mistold('the usage of model calls is forgotten', 'shows the truth', 'inference_completed', () => []),
  fault('a result of a call that nobody knows is too much', 'total', 'tool_result', (fact, inner) => {
    if (fact.type === 'tool_result' && fact.id === 'c9') throw new Error('no such call')
    return inner.fact(fact)
  }),
]
