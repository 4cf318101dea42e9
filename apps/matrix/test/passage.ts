/** A run that goes from one wire to another: what was read of it, and what is read of it there. */
import { decodeChunks, readMessages } from '@factwire/conformance'
import {
  type AgentEvent,
  type Breach,
  type Encodable,
  type Fact,
  type Fidelity,
  checkGrammar,
  endsSegment,
  equalJson,
  fateOf,
  type Json,
  textOf,
  writer,
} from '@factwire/core'
import type { AnyProtocol, Reading } from './protocols.ts'

const RUN = { threadId: 'thread-1', runId: 'run-1' }

export function write(target: Encodable<unknown>, events: readonly AgentEvent[]): string {
  const { push, settled, close } = writer(target, RUN)
  let text = ''
  for (const event of events) {
    text += push(event)
    if (endsSegment(event)) break
  }
  return text + settled() + close()
}

export const read = (source: Reading, bytes: Uint8Array | string): AgentEvent[] =>
  decodeChunks(source, [typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes])

export const factsOf = (events: readonly AgentEvent[]): AgentEvent[] => events.filter(({ tier }) => tier === 'fact')

/** What a stream breaks of its wire's own rules. */
export function breaches({ grammar, framing }: Encodable<unknown>, text: string): readonly Breach[] {
  if (!grammar) return []
  const check = checkGrammar(grammar)
  const frames = readMessages([new TextEncoder().encode(text)]).flatMap((message) => framing.parse(message) ?? [])
  return [...frames.flatMap((frame) => check.push(frame)), ...check.end()]
}

/** What went wrong on the way, in words: nothing where the run arrived as far as the wire can carry it. */
export function losses(target: AnyProtocol, before: readonly AgentEvent[], after: readonly AgentEvent[]): string[] {
  const [given, arrived] = [facts(before), facts(after)]
  const wrong: string[] = []
  const ends = [endOf(given), endOf(arrived)]
  if (!mayEndAs(given.at(-1), arrived.at(-1), target.fidelity))
    wrong.push(`it ended as ${ends[0]}, and arrives as ${ends[1]}`)
  const texts = [textsOf(given), textsOf(arrived)] as const
  if (!sameTexts(...texts))
    wrong.push(`its texts were ${JSON.stringify(texts[0])}, and arrive as ${JSON.stringify(texts[1])}`)
  // An end that this wire cannot show is a failure, and calls that nobody is to answer are not told with it.
  if (ends[0] === ends[1]) {
    const [waits, apart, answered] = [waitsIn(given), toldApart(before), answeredIn(given)]
    for (const fact of given) {
      // What a client was to answer and somebody else has need not be told where it is no more than asked for.
      if (fact.type === 'tool_call' && fact.disposition !== 'executed' && answered.has(fact.id)) {
        if (fateIn(target.fidelity, fact) !== 'exact') continue
      }
      if (!arrives(fact, arrived, target.fidelity, waits, apart)) wrong.push(`lost: ${JSON.stringify(fact)}`)
    }
  }
  return wrong
}

const facts = (events: readonly AgentEvent[]): Fact[] =>
  events.flatMap(({ tier, event }) => (tier === 'fact' ? [event] : []))

const endOf = (given: readonly Fact[]): string => given.at(-1)?.type ?? 'nothing'

/** A failure stays one. A wait that the client of this wire could not end may become one, and a run that somebody has ended. */
function mayEndAs(before: Fact | undefined, after: Fact | undefined, fidelity: Fidelity | undefined): boolean {
  if (before?.type === after?.type) return true
  if (before === undefined || after?.type !== 'run_failed') return false
  const isCancelled = before.type === 'run_finished' && before.cause?.type === 'cancelled'
  if (before.type !== 'awaiting' && !isCancelled) return false
  return fidelity === undefined || fateOf(fidelity, before).kept !== 'exact'
}

function textsOf(given: readonly Fact[]): string[] {
  return given
    .flatMap((fact) => (fact.type === 'assistant_message' ? [textOf(fact.content)] : []))
    .filter((text) => text !== '')
}

/** Message by message; or some that stand next to each other, or all of them, as one text with blank lines between. */
function sameTexts(before: readonly string[], after: readonly string[]): boolean {
  return equalJson(before, after) || after.join('\n\n') === before.join('\n\n')
}

function waitsIn(given: readonly Fact[]): ReadonlySet<string> {
  const end = given.at(-1)
  return new Set(end?.type === 'awaiting' ? end.pending?.map(({ tool_use_id }) => tool_use_id) : [])
}

const answeredIn = (given: readonly Fact[]): ReadonlySet<string> =>
  new Set(given.flatMap((fact) => (fact.type === 'tool_result' ? [fact.id] : [])))

const fateIn = (fidelity: Fidelity | undefined, fact: Fact): string =>
  fidelity ? fateOf(fidelity, fact).kept : 'dropped'

const NAMES_ITS_MESSAGE: ReadonlySet<Fact['type']> = new Set(['assistant_thinking', 'assistant_message', 'tool_call'])

/**
 * What need not arrive as it was: a wire may end a message with its step, so that what is thought after that is read as one of its own;
 * and where nothing can be taken back, a new attempt goes on under the id of the one before.
 */
function toldApart(before: readonly AgentEvent[]): ReadonlySet<Fact> {
  const ended = new Set<string>()
  const apart = new Set<Fact>()
  const isRetold = before.some(({ event }) => event.type === 'stream_reset')
  for (const fact of facts(before)) {
    if (isRetold && NAMES_ITS_MESSAGE.has(fact.type)) apart.add(fact)
    if (fact.type === 'step_ended') ended.add(fact.message_id)
    else if (fact.type === 'assistant_thinking' && ended.has(fact.message_id ?? '')) apart.add(fact)
  }
  return apart
}

/** `waits`: calls that the run waits for in the end, whoever was to run them when they were made. */
function arrives(
  fact: Fact,
  arrived: readonly Fact[],
  fidelity: Fidelity | undefined,
  waits: ReadonlySet<string>,
  apart: ReadonlySet<Fact>,
): boolean {
  const kept = fateIn(fidelity, fact)
  if (kept === 'dropped') return true
  const asItWas = !apart.has(fact) && !(fact.type === 'tool_call' && waits.has(fact.id))
  if (kept === 'exact' && asItWas) {
    return arrived.some((other) => equalJson(jsonOf(fact), jsonOf(other)))
  }
  return arrived.some((other) => alike(fact, other))
}

/** What no loss may touch: which call it is, with which arguments, and what came of it. */
function alike(fact: Fact, other: Fact): boolean {
  switch (fact.type) {
    case 'tool_call':
      return other.type === 'tool_call' && other.name === fact.name && sameInput(other.input, fact.input)
    case 'tool_result':
      return other.type === 'tool_result' && textOf(other.content) === textOf(fact.content)
    default:
      return true
  }
}

/** Some clients refuse a whole stream for a key that leads to a prototype, so a wire may leave such keys out. */
const sameInput = (one: Json, other: Json): boolean => equalJson(withoutPrototypes(one), withoutPrototypes(other))

const withoutPrototypes = (value: Json): Json =>
  JSON.parse(JSON.stringify(value), (key, inner: unknown) => (key === '__proto__' ? undefined : inner)) as Json

const jsonOf = (fact: Fact): Json => JSON.parse(JSON.stringify(fact)) as Json
