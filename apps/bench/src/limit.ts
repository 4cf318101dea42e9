/**
 * The least that any code could do: what a wire writes, with all of it known beforehand but the strings of the deltas and the
 * numbers of the events. It is read off the wire's own text, so every wire has its limit.
 *
 * A second limit is given the facts as anybody is, as values, and makes JSON of each that the wire tells something for, once.
 */
import { type AgentEvent, type Delta, type Fact, quote, stringify, writer } from '@factwire/core'
import type { Contender } from './contender.ts'
import { type Batch, outlet } from './outlet.ts'
import type { Writable } from './wires.ts'
import type { Workload } from './workload.ts'

/** What stands around the number and the string: `head`, number, `middle`, quoted string, `tail`. */
interface Template {
  readonly head: string
  readonly numbered: boolean
  readonly middle: string
  readonly tail: string
}

/** Neighbours that are written alike. Without a template the text is known whole. */
interface Span {
  readonly template?: Template
  readonly text: string
  readonly fact?: Fact
  readonly from: number
  to: number
}

/** What is known of facts beforehand: their text, or no more than what they are. */
export type Facts = 'known' | 'made'

export function limit(wire: Writable, workload: Workload, batch: Batch = 'each', facts: Facts = 'known'): Contender {
  const fragments = workload.events.map(fragmentOf)
  const spans = spansOf(wire, workload, fragments)
  return {
    name: facts === 'known' ? `limit ${wire.name}` : `limit ${wire.name}, facts made JSON`,
    run(take) {
      const { write, end } = outlet(take, batch)
      for (const { template, text, fact, from, to } of spans) {
        if (!template) {
          if (fact && facts === 'made' && stringify(fact) === '') throw new Error('a fact that is nothing')
          write(text)
          continue
        }
        const { head, numbered, middle, tail } = template
        if (numbered) {
          for (let at = from; at < to; at++) write(head + at + middle + quote(fragments[at] ?? '') + tail)
        } else {
          for (let at = from; at < to; at++) write(head + middle + quote(fragments[at] ?? '') + tail)
        }
      }
      end()
    },
  }
}

function spansOf(wire: Writable, { context, events }: Workload, fragments: readonly (string | undefined)[]): Span[] {
  const { push, close } = writer(wire, context)
  const spans: Span[] = []
  const known = new Map<string, Template>()
  events.forEach((event, at) => {
    const text = push(event)
    if (text === '') return
    const fragment = fragments[at]
    const template = fragment === undefined ? undefined : templateOf(text, at, fragment, known.get(event.event.type))
    const last = spans.at(-1)
    if (template) known.set(event.event.type, template)
    if (template && last?.template === template && last.to === at) last.to = at + 1
    else
      spans.push({
        ...(template ? { template } : {}),
        ...(event.tier === 'fact' ? { fact: event.event } : {}),
        text,
        from: at,
        to: at + 1,
      })
  })
  const rest = close()
  if (rest !== '') spans.push({ text: rest, from: events.length, to: events.length })
  return spans
}

/** The same template again wherever it fits. Undefined where the wire does not write the string as JSON. */
function templateOf(
  text: string,
  number: number,
  fragment: string,
  before: Template | undefined,
): Template | undefined {
  const quoted = quote(fragment)
  if (before && text === fill(before, number, quoted)) return before
  const at = text.lastIndexOf(quoted)
  if (at < 0) return undefined
  const [first, tail] = [text.slice(0, at), text.slice(at + quoted.length)]
  const numberAt = first.lastIndexOf(`id: ${number}\n`)
  if (numberAt < 0) return { head: first, numbered: false, middle: '', tail }
  const from = numberAt + 'id: '.length
  return { head: first.slice(0, from), numbered: true, middle: first.slice(from + `${number}`.length), tail }
}

function fill({ head, numbered, middle, tail }: Template, number: number, quoted: string): string {
  return head + (numbered ? number : '') + middle + quoted + tail
}

function fragmentOf({ event }: AgentEvent): string | undefined {
  return isFragment(event) ? ('args_delta' in event ? event.args_delta : event.delta) : undefined
}

type Fragment = Extract<Delta, { readonly type: 'text_delta' | 'reasoning_delta' | 'tool_call_delta' }>

function isFragment(event: AgentEvent['event']): event is Fragment {
  return event.type === 'text_delta' || event.type === 'reasoning_delta' || event.type === 'tool_call_delta'
}
