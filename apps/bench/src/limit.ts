/**
 * The least that any code could do for a wire, read off the wire's own text: a frame of a delta is what is always the same, a number
 * and a string; every other frame is a value, of which JSON is made once.
 *
 * A second limit has all of it as text beforehand, but the strings and numbers of the deltas. Nobody could do that.
 */
import { type AgentEvent, type Delta, quote, stringify, writer } from '@factwire/core'
import type { Contender } from './contender.ts'
import { type Batch, outlet } from './outlet.ts'
import type { Writable } from './wires.ts'
import type { Workload } from './workload.ts'

/** What stands around the quoted string of a delta, and where a number stands that goes up with each event. */
interface Template {
  readonly number: 'before the string' | 'behind it' | 'none'
  /** What the number is more than that of the event. */
  readonly ahead: number
  readonly head: string
  /** Between the number and the string. */
  readonly middle: string
  readonly tail: string
}

/** Neighbours that are written alike, or what one event is written as without a template. */
interface Span {
  readonly template?: Template
  readonly told: readonly Told[]
  readonly text: string
  readonly from: number
  to: number
}

/** Text that is known, and a value that JSON is made of behind it. */
interface Told {
  readonly before: string
  readonly value?: unknown
}

/** What is known beforehand of all that is no delta: values, or their text. */
export type Known = 'values' | 'text'

export function limit(wire: Writable, workload: Workload, batch: Batch = 'each', known: Known = 'values'): Contender {
  const fragments = workload.events.map(fragmentOf)
  const spans = spansOf(wire, workload, fragments)
  return {
    name: known === 'values' ? `limit ${wire.name}` : `limit ${wire.name}, facts known as text`,
    run(take) {
      const { write, end } = outlet(take, batch)
      for (const { template, told, text, from, to } of spans) {
        if (!template) {
          write(known === 'text' ? text : tell(told))
          continue
        }
        const { number, ahead, head, middle, tail } = template
        switch (number) {
          case 'before the string':
            for (let at = from; at < to; at++) write(head + (at + ahead) + middle + quote(fragments[at] ?? '') + tail)
            break
          case 'behind it':
            for (let at = from; at < to; at++) write(head + quote(fragments[at] ?? '') + middle + (at + ahead) + tail)
            break
          case 'none':
            for (let at = from; at < to; at++) write(head + quote(fragments[at] ?? '') + tail)
        }
      }
      end()
    },
  }
}

/** Of the fragments that a wire writes, the share that its limit has a template for: JSON of a whole frame costs several times as much. */
export function templated(wire: Writable, workload: Workload): number {
  const fragments = workload.events.map(fragmentOf)
  const written = spansOf(wire, workload, fragments).filter(({ from }) => fragments[from] !== undefined)
  const count = (spans: readonly Span[]): number => spans.reduce((sum, { from, to }) => sum + to - from, 0)
  return count(written.filter(({ template }) => template)) / Math.max(1, count(written))
}

function tell(told: readonly Told[]): string {
  let text = ''
  for (const { before, value } of told) text += value === undefined ? before : before + stringify(value)
  return text
}

function spansOf(wire: Writable, { context, events }: Workload, fragments: readonly (string | undefined)[]): Span[] {
  const { push, close } = writer(wire, context)
  const texts = [...events.map((event) => push(event)), close()]
  const spans: Span[] = []
  let template: Template | undefined
  texts.forEach((text, at) => {
    if (text === '') return
    template = templateAt(at, texts, fragments, template)
    const last = spans.at(-1)
    if (template && last?.template === template && last.to === at) last.to = at + 1
    else
      spans.push({ ...(template ? { template } : {}), told: template ? [] : toldIn(text), text, from: at, to: at + 1 })
  })
  return spans
}

/** The template of the event before wherever it fits; else one that fits this event and the next. */
function templateAt(
  at: number,
  texts: readonly string[],
  fragments: readonly (string | undefined)[],
  before: Template | undefined,
): Template | undefined {
  const [fragment, following] = [fragments[at], fragments[at + 1]]
  const [text = '', next = ''] = [texts[at], texts[at + 1]]
  if (fragment === undefined) return undefined
  if (before && text === fill(before, at, fragment)) return before
  if (following === undefined) return undefined
  return templatesOf(text, at, quote(fragment)).find((template) => next === fill(template, at + 1, following))
}

/** Whatever could be the template of a text: the string stands in one place, and any number in it may be one that goes up. */
function templatesOf(text: string, event: number, quoted: string): Template[] {
  const at = text.lastIndexOf(quoted)
  if (at < 0) return []
  const [head, tail] = [text.slice(0, at), text.slice(at + quoted.length)]
  return [
    { number: 'none', ahead: 0, head, middle: '', tail },
    ...cutAtNumbers(head, event).map(({ ahead, first, rest }): Template => ({
      number: 'before the string',
      ahead,
      head: first,
      middle: rest,
      tail,
    })),
    ...cutAtNumbers(tail, event).map(({ ahead, first, rest }): Template => ({
      number: 'behind it',
      ahead,
      head,
      middle: first,
      tail: rest,
    })),
  ]
}

function cutAtNumbers(text: string, event: number): { ahead: number; first: string; rest: string }[] {
  return [...text.matchAll(/\d+/g)].map(({ 0: digits, index }) => ({
    ahead: Number(digits) - event,
    first: text.slice(0, index),
    rest: text.slice(index + digits.length),
  }))
}

function fill({ number, ahead, head, middle, tail }: Template, event: number, fragment: string): string {
  const quoted = quote(fragment)
  switch (number) {
    case 'before the string':
      return head + (event + ahead) + middle + quoted + tail
    case 'behind it':
      return head + quoted + middle + (event + ahead) + tail
    case 'none':
      return head + quoted + tail
  }
}

/** The values in the lines of a text, where their JSON is just what stands there. */
function toldIn(text: string): Told[] {
  const told: Told[] = []
  let from = 0
  for (const { 0: line, index } of text.matchAll(/^(?:data: )?[{[].*$/gm)) {
    const json = line.startsWith('data: ') ? line.slice('data: '.length) : line
    const value = valueOf(json)
    if (value === undefined) continue
    const at = index + line.length - json.length
    told.push({ before: text.slice(from, at), value })
    from = at + json.length
  }
  return [...told, { before: text.slice(from) }]
}

function valueOf(json: string): unknown {
  try {
    const value: unknown = JSON.parse(json)
    return stringify(value) === json ? value : undefined
  } catch {
    return undefined
  }
}

function fragmentOf({ event }: AgentEvent): string | undefined {
  return isFragment(event) ? ('args_delta' in event ? event.args_delta : event.delta) : undefined
}

type Fragment = Extract<Delta, { readonly type: 'text_delta' | 'reasoning_delta' | 'tool_call_delta' }>

function isFragment(event: AgentEvent['event']): event is Fragment {
  return event.type === 'text_delta' || event.type === 'reasoning_delta' || event.type === 'tool_call_delta'
}
