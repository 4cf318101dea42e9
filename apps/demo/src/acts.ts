/** What is played: each act is one run, with something going wrong or not. */
import type { AgentEvent } from '@factwire/core'

export interface Act {
  readonly title: string
  readonly explanation: string
  /** What is asked of the provider. */
  readonly query: string
  /** A line to the client: how often it carries an event. */
  readonly line: () => (event: AgentEvent) => number
  /** Whether every event is worth a row, or only facts and what went wrong. */
  readonly whole: boolean
  readonly ending: string
}

export const acts: readonly Act[] = [
  {
    title: '1  A whole run',
    explanation:
      'A provider streams reasoning, text and two tool calls, its bytes cut inside characters, JSON and line ends.',
    query: '',
    line: () => () => 1,
    whole: true,
    ending: 'awaits call_1 and call_2',
  },
  {
    title: '2  The same run over a bad line',
    explanation: 'Some deltas get lost, some arrive twice. Facts bring what is missing; nothing is shown double.',
    query: '',
    line: badLine,
    whole: false,
    ending: 'awaits call_1 and call_2',
  },
  {
    title: '3  A run that breaks',
    explanation: "The provider's connection breaks in the arguments of the first call. That never looks like success.",
    query: '?cut',
    line: () => () => 1,
    whole: true,
    ending: 'failed: stream_failed',
  },
]

/** Of five deltas in a row it doubles the second and loses the fourth. */
function badLine(): (event: AgentEvent) => number {
  let deltas = 0
  return ({ tier }) => {
    if (tier === 'fact') return 1
    const place = deltas++ % 5
    return place === 1 ? 2 : place === 3 ? 0 : 1
  }
}
