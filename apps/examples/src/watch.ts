import { createReducer, isTerminal, parseFlat, type View } from '@factwire/sse'

/** `over`: nothing more will come. A view that is still running then belongs to a connection that was lost. */
export function watch(url: string, show: (view: View, over: boolean) => void): void {
  const { push, view } = createReducer()
  const source = new EventSource(url)
  source.addEventListener('message', ({ data }) => {
    const event = parseFlat(JSON.parse(data))
    if (!event) return
    push(event)
    // An EventSource that is left open connects again, and would ask for another run.
    if (isTerminal(event)) source.close()
    show(view(), isTerminal(event))
  })
  source.addEventListener('error', () => {
    source.close()
    show(view(), true)
  })
}
