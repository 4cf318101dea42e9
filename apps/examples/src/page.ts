/** A page that shows a run as it comes. Text goes in as text, so nothing that a model writes becomes markup. */
import { createReducer, ended, isTerminal, parseFlat, type View } from '@factwire/sse'

/** `over`: nothing more will come. Where the view has not `ended` then, the connection was lost and the run did not succeed. */
export function watch(url: string, show: (view: View, over: boolean) => void): void {
  const { push, view } = createReducer()
  const source = new EventSource(url)
  source.addEventListener('message', ({ data }) => {
    const event = parseFlat(JSON.parse(data))
    if (!event) return
    push(event)
    // Left open, it would connect again and ask for another run.
    if (isTerminal(event)) source.close()
    show(view(), isTerminal(event))
  })
  source.addEventListener('error', () => {
    source.close()
    show(view(), true)
  })
}

export function render(into: HTMLElement, view: View, over: boolean): void {
  const lines = view.turns.flatMap(({ text, calls }) => [
    text,
    ...calls.map(({ name, argumentsText, status, result }) => `${name}(${argumentsText}) ${result?.text ?? status}`),
  ])
  into.replaceChildren(
    ...lines.map((line) => {
      const paragraph = document.createElement('p')
      paragraph.textContent = line
      return paragraph
    }),
  )
  into.dataset['status'] = over && !ended(view) ? 'lost' : view.status
}
