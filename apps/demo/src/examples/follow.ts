import { createReducer, isTerminal, parseFlat, type View } from '@factwire/sse'

/** A connection that breaks is made again by the browser, which says what it has seen: the hub goes on from there. */
export function follow(url: string, show: (view: View) => void): EventSource {
  const { push, view } = createReducer()
  const source = new EventSource(url)
  source.addEventListener('message', ({ data }) => {
    const event = parseFlat(JSON.parse(data))
    if (!event) return
    push(event)
    // The stream of a run that waits stays open, and goes on with it.
    if (isTerminal(event) && view().status !== 'suspended') source.close()
    show(view())
  })
  return source
}
