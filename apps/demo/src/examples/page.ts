import { createReducer, isTerminal, parseFlat, type View } from '@factwire/sse'

export function watch(url: string, show: (view: View) => void): void {
  const { push, view } = createReducer()
  const source = new EventSource(url)
  source.addEventListener('message', ({ data }) => {
    const event = parseFlat(JSON.parse(data))
    if (!event) return
    push(event)
    show(view())
    // The stream is over. An EventSource that is left open would connect again and ask for another run.
    if (isTerminal(event)) source.close()
  })
}
