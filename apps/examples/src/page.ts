/** A page that shows a run as it comes. Text goes in as text, so nothing that a model writes becomes markup. */
import { ended, type View } from '@factwire/sse'
export { watch } from './watch.ts'

/** `over`: nothing more will come. Where the view has not `ended` then, the connection was lost and the run did not succeed. */
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
