/** A client that knows nothing of Factwire: the `eventsource` package, which follows the standard. */
import { type FlatEvent, isTerminal } from '@factwire/sse'
import { EventSource } from 'eventsource'

/** Every event of the stream up to its end. Rejects when the stream breaks before: an EventSource would start over then. */
export function watch(url: string): Promise<readonly FlatEvent[]> {
  return new Promise((resolve, reject) => {
    const events: FlatEvent[] = []
    const source = new EventSource(url)
    source.addEventListener('message', ({ data }) => {
      const event = JSON.parse(data) as FlatEvent
      events.push(event)
      if (!isTerminal(event)) return
      source.close()
      resolve(events)
    })
    source.addEventListener('error', ({ message }) => {
      source.close()
      reject(new Error(`the stream broke before its end: ${message ?? 'it was closed'}`))
    })
  })
}
