/** What different wires show of the same run, made comparable. */
import { reader } from '@factwire/core'
import { createSseReader } from '@factwire/sse'
import { listener } from './spoken-by.ts'
import { isReadable, type Wire } from './wires.ts'

/** Some wires put line ends between two messages. */
export const words = (output: string): string => output.replaceAll(/\s+/g, '')

/** What a reader of the wire hears, or, where there is none, what streams in its frames. */
export function heard(wire: Wire): (output: string) => string {
  if (!isReadable(wire)) return (output) => words(spoken(output))
  return (output) => {
    const { push } = reader(wire)
    const events = createSseReader().push(output).flatMap(push)
    return words(events.map(listener()).join(''))
  }
}

/** The text of server-sent events without their numbers, which not everybody writes. */
export const withoutIds = (output: string): string => output.replace(/^id: .*\n/gm, '')

/** The text and the arguments that streamed, whatever the frames around them. */
export function spoken(output: string): string {
  let text = ''
  for (const line of output.split('\n')) {
    if (line.startsWith('data: {')) text += fragmentIn(JSON.parse(line.slice('data: '.length)) as Spoken)
  }
  return text
}

/** The places where wires put a fragment. */
interface Spoken {
  readonly delta?: unknown
  readonly choices?: readonly { readonly delta?: { readonly content?: unknown } }[]
}

function fragmentIn({ delta, choices }: Spoken): string {
  if (typeof delta === 'string') return delta
  const content = choices?.[0]?.delta?.content
  return typeof content === 'string' ? content : ''
}
