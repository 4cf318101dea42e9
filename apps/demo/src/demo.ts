/** Plays each act over the loopback: one run leaves on three wires, and clients that are not ours read them. */
import type { Fact } from '@factwire/core'
import { provider as scripted, providerServer, scenes } from '@factwire/provider'
import { type Act, acts, type Providers } from './acts.ts'
import { listen, shut } from './loopback.ts'
import { compare, faults, outcomeOfFacts } from './outcome.ts'
import { provider } from './provider.ts'
import { relay } from './relay.ts'
import { type Moment, runOf } from './run.ts'
import type { Screen } from './screen.ts'
import { wires } from './wires.ts'

/** Gives whether every client ended with what was committed. */
export async function demo(screen: Screen, played: readonly Act[] = acts): Promise<boolean> {
  const servers = [provider(), providerServer(scripted(scenes))]
  try {
    const [awkward = '', follows = ''] = await Promise.all(servers.map(listen))
    const path = '/v1/chat/completions'
    const providers: Providers = { awkward: awkward + path, scripted: follows + path }
    let good = true
    for (const act of played) good = (await play(act, providers, screen)) && good
    return good
  } finally {
    for (const server of servers) shut(server)
  }
}

async function play(act: Act, providers: Providers, screen: Screen): Promise<boolean> {
  screen.heading(act.title, act.explanation)
  const run = runOf(act.events(providers), act.line())
  const server = relay(run)
  try {
    const url = await listen(server)
    const readings = await Promise.all(wires.map(({ base, read }) => read(url + base)))

    const moments: Moment[] = []
    for await (const moment of run) moments.push(moment)
    const facts = moments.flatMap(({ event }): Fact[] => (event.tier === 'fact' ? [event.event] : []))
    const committed = outcomeOfFacts(facts)
    const comparisons = compare(committed, readings)
    const clients = wires.map(({ client }) => client)

    screen.run(
      wires.map(({ name }) => name),
      moments.filter(({ event, copies }) => act.whole || event.tier === 'fact' || copies !== 1),
    )
    screen.table(
      clients,
      comparisons,
      readings.map(({ told }) => told),
    )
    screen.line()
    screen.line(act.note)

    const wrong = [...faults(clients, comparisons)]
    if (committed.ending !== act.ending) wrong.push(`The run ended as "${committed.ending}", not "${act.ending}".`)
    for (const fault of wrong) screen.verdict(false, fault)
    if (wrong.length === 0) screen.verdict(true, act.verdict)
    return wrong.length === 0
  } finally {
    shut(server)
  }
}
