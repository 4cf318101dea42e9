/** What is played: each act is one run, with something going wrong or not. */
import type { AgentEvent } from '@factwire/core'
import { ownAgent } from './own-agent.ts'
import { answerOf, type Line } from './run.ts'

/** Addresses of providers on the own machine. */
export interface Providers {
  /** Sends one answer in the most awkward pieces. */
  readonly awkward: string
  /** Follows a script. */
  readonly scripted: string
}

export interface Act {
  readonly title: string
  readonly explanation: string
  readonly events: (providers: Providers) => AsyncIterable<AgentEvent>
  /** A line to the wires: how often it carries an event. */
  readonly line: () => Line
  /** Whether every event is worth a row, or only facts and what went wrong. */
  readonly whole: boolean
  /** How the run ends. */
  readonly ending: string
  /** What is not shown, and why. */
  readonly note: string
  readonly verdict: string
}

const NOTE = '– not on chat chunks, by design: thoughts. Its calls go out one by one, since it takes nothing back.'

export const acts: readonly Act[] = [
  {
    title: '1  One run, three wires',
    explanation: 'A provider streams reasoning, text and two calls, cut inside characters, JSON and line ends.',
    events: ({ awkward }) => answerOf(awkward),
    line: () => () => 1,
    whole: true,
    ending: 'awaits call_1, call_2',
    note: NOTE,
    verdict: 'All three clients end with what was committed.',
  },
  {
    title: '2  The same run over a bad line',
    explanation: 'Some deltas get lost, some arrive twice. Facts bring what is missing; nothing is shown double.',
    events: ({ awkward }) => answerOf(awkward),
    line: badLine,
    whole: false,
    ending: 'awaits call_1, call_2',
    note: NOTE,
    verdict: 'All three clients end with what was committed, all the same.',
  },
  {
    title: '3  A run that breaks',
    explanation: "The provider's connection breaks in the arguments of a call. That never looks like success.",
    events: ({ awkward }) => answerOf(`${awkward}?cut`),
    line: () => () => 1,
    whole: true,
    ending: 'failed: stream_failed',
    note: '– not on chat chunks, by design: thoughts, and calls that its client is not to run.',
    verdict: 'All three clients know that the run has failed, and have what was committed before.',
  },
  {
    title: '4  An agent of your own',
    explanation: 'It has a tool. Its provider breaks off in the call; the agent takes that back, and asks again.',
    events: ({ scripted }) => ownAgent(scripted, 'cut-in-call'),
    line: () => () => 1,
    whole: true,
    ending: 'finished',
    note: '– not on chat chunks, by design: calls that its client is not to run.',
    verdict: 'The call that was taken back is nowhere, and all three clients end with what was committed.',
  },
]

/** Of five deltas in a row it doubles the second and loses the fourth. */
function badLine(): Line {
  let deltas = 0
  return ({ tier }) => {
    if (tier === 'fact') return 1
    const place = deltas++ % 5
    return place === 1 ? 2 : place === 3 ? 0 : 1
  }
}
