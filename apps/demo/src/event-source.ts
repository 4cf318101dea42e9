/** The SSE wire as a browser reads it: the `eventsource` package, which follows the standard, and the client fold. */
import { type FlatEvent, isTerminal, parseFlat, reduce } from '@factwire/sse'
import { EventSource } from 'eventsource'
import { awaits, callText, failed, type Reading } from './outcome.ts'

export async function readEvents(url: string): Promise<Reading> {
  const { events, warnings } = await watch(url)
  const { turns, status, termination, error } = reduce(events)
  const calls = turns.flatMap((turn) => turn.calls)
  const awaited = calls.filter((call) => call.status === 'suspended').map(({ id }) => id)
  const endings = new Map([
    ['suspended', awaits(awaited)],
    ['failed', failed(error?.code)],
  ])
  return {
    reasoning: turns.map(({ reasoning }) => reasoning).join(''),
    text: turns.map(({ text }) => text).join(''),
    calls: new Map(
      calls.map(({ id, name, argumentsText, result }) => [id, callText(name, argumentsText, result?.text)]),
    ),
    ending: endings.get(status) ?? status,
    told: termination ? `run_finish ${termination.type}` : 'nothing',
    warnings,
  }
}

interface Watched {
  readonly events: readonly FlatEvent[]
  readonly warnings: readonly string[]
}

/** Every event of the stream up to its end, or to where it breaks: an EventSource would start over then. */
function watch(url: string): Promise<Watched> {
  return new Promise((resolve) => {
    const events: FlatEvent[] = []
    const warnings: string[] = []
    const source = new EventSource(url)
    const leave = (): void => {
      source.close()
      resolve({ events, warnings })
    }
    source.addEventListener('message', ({ data }) => {
      const event = parseFlat(JSON.parse(data))
      if (!event) warnings.push(`unknown: ${data}`)
      else {
        events.push(event)
        if (isTerminal(event)) leave()
      }
    })
    source.addEventListener('error', ({ message }) => {
      warnings.push(message ?? 'the connection was closed')
      leave()
    })
  })
}
