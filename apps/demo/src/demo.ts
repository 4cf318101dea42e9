/** Plays each act over the loopback: a provider's stream becomes the SSE wire, and a client that is not ours reads it. */
import type { Fact } from '@factwire/core'
import { reduce } from '@factwire/sse'
import { type Act, acts } from './acts.ts'
import { watch } from './client.ts'
import { listen, shut } from './loopback.ts'
import { outcomeOfFacts, outcomeOfView } from './outcome.ts'
import { provider } from './provider.ts'
import { relay } from './relay.ts'
import type { Screen } from './screen.ts'

/** Gives whether every client ended with what was committed. */
export async function demo(screen: Screen, played: readonly Act[] = acts): Promise<boolean> {
  const model = provider()
  try {
    const url = await listen(model)
    let good = true
    for (const act of played) good = (await play(act, `${url}/v1/chat/completions${act.query}`, screen)) && good
    return good
  } finally {
    shut(model)
  }
}

async function play(act: Act, providerUrl: string, screen: Screen): Promise<boolean> {
  screen.heading(act.title, act.explanation)
  const facts: Fact[] = []
  const server = relay({
    provider: providerUrl,
    line: act.line(),
    observe(event, copies, frames) {
      if (event.tier === 'fact') facts.push(event.event)
      if (act.whole || event.tier === 'fact' || copies !== 1) screen.event(event, frames, copies)
    },
  })
  try {
    const events = await watch(`${await listen(server)}/run`)
    const seen = outcomeOfView(reduce(events))
    const committed = outcomeOfFacts(facts)
    const ids = new Set([...committed.calls.keys(), ...seen.calls.keys()])
    screen.line()
    screen.line(`What was committed, and what the client made of its ${events.length} events:`)
    screen.line()
    const checks = [
      screen.comparison('thought', committed.reasoning, seen.reasoning),
      screen.comparison('text', committed.text, seen.text),
      ...[...ids].map((id) => screen.comparison(id, committed.calls.get(id) ?? '–', seen.calls.get(id) ?? '–')),
      screen.comparison('ending', committed.ending, seen.ending),
      seen.ending === act.ending,
    ]
    const good = checks.every(Boolean)
    screen.verdict(
      good,
      good ? 'The client ends with what was committed.' : `They differ, or the ending is not "${act.ending}".`,
    )
    return good
  } finally {
    shut(server)
  }
}
