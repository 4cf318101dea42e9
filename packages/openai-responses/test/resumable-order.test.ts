/** A stream that is told again from the facts, by any run: after every number it goes on as the live one did. */
import { CLIENT_TOOL, anyRun, groupsOf, joinAt, type LiveRun, units } from '@factwire/conformance'
import type { RunContext } from '@factwire/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { framing, type OpenAiResponsesOptions, transcoder, type WrittenEvent, type WrittenFrame } from '../src/index.ts'
import { type ClientVersion, readFinal, type Response } from './client.ts'

const seed = 20_261_130
const numRuns = Number(process.env['FACTWIRE_RUNS'] || 200)
const FOLD = { reasoning: 'text' } as const
/** Numbers from here on stand nowhere else. */
const ELSEWHERE = 2 ** 30

const anyOptions = fc.record<OpenAiResponsesOptions>({
  clientTools: fc.constantFrom<readonly string[]>([], [CLIENT_TOOL]),
  reasoning: fc.boolean(),
  encryptedReasoning: fc.boolean(),
  resumable: fc.constant(true),
})

/** Ids of messages are known while they are written, and are those that are committed. */
const anyNamedRun = anyRun().filter(({ marks, resets }) => !resets && (marks === 'both' || marks === 'ids'))

/** What was said before is known, so that what is said meanwhile is no request. */
const contextOf = ({ run }: LiveRun): RunContext => ({ ...run, history: [] })

const eventsOf = (frames: readonly WrittenFrame[]): WrittenEvent[] =>
  frames.flatMap((frame) => (typeof frame === 'string' ? [] : [frame]))

const bodyOf = (events: readonly WrittenEvent[]): string => events.map((event) => framing.text(event)).join('')

const liveOf = (live: LiveRun, options: OpenAiResponsesOptions): WrittenEvent[] =>
  eventsOf(groupsOf(units(live, FOLD).flat(), transcoder(contextOf(live), options)).flat())

function againOf(live: LiveRun, options: OpenAiResponsesOptions): WrittenEvent[] {
  const facts = units(live, FOLD)
    .flat()
    .filter(({ tier }) => tier === 'fact')
  return eventsOf(groupsOf(facts, transcoder(contextOf(live), options)).flat())
}

/** As it is on the wire. */
const plain = (event: WrittenEvent): { [field: string]: unknown } => JSON.parse(JSON.stringify(event))

/** Fragments of one text that follow each other, as one. */
function merged(events: readonly WrittenEvent[]): unknown[] {
  const out: { [field: string]: unknown }[] = []
  for (const event of events) {
    const last = out.at(-1)
    const goesOn = 'delta' in event && last?.['type'] === event.type && last['item_id'] === event.item_id
    if (goesOn) out[out.length - 1] = { ...plain(event), delta: String(last['delta']) + event.delta }
    else out.push(plain(event))
  }
  return out
}

const isEnd = ({ type }: WrittenEvent): boolean => /^response\.(?:completed|incomplete|failed)$/.test(type)

/** Something was told in another order than the facts have it. */
const isApart = (events: readonly WrittenEvent[]): boolean =>
  events.some((event) => !isEnd(event) && event.sequence_number >= ELSEWHERE)

/** What a client has of texts and arguments that only puts fragments together. */
function written(events: readonly WrittenEvent[]): Record<string, string> {
  const texts: Record<string, string> = {}
  for (const event of events) {
    if (!('delta' in event) || event.type.includes('reasoning')) continue
    texts[event.item_id] = (texts[event.item_id] ?? '') + event.delta
  }
  return texts
}

/** What a client cannot put together: something is said of an item that was over, or its end says other words than its fragments. */
function torn(events: readonly WrittenEvent[]): string[] {
  const texts: Record<string, string> = {}
  const over = new Set<string>()
  return events.flatMap((event) => {
    if (!('item_id' in event)) {
      if (event.type === 'response.output_item.done') over.add(event.item.id)
      return []
    }
    const { item_id: id, type } = event
    if (over.has(id)) return [`${type} of ${id}, which is over`]
    if ('delta' in event) texts[id] = (texts[id] ?? '') + event.delta
    const isTextEnd = type === 'response.output_text.done' || type === 'response.reasoning_summary_text.done'
    return isTextEnd && event.text !== texts[id] ? [`${id} ends as ${event.text}`] : []
  })
}

const withoutThoughts = ({ response }: Extract<WrittenEvent, { response: unknown }>): object => ({
  ...response,
  output: response.output.filter(({ type }) => type !== 'reasoning'),
})

const unpaid = (event: WrittenEvent): WrittenEvent =>
  isEnd(event) && 'response' in event ? { ...event, response: { ...event.response, usage: null } } : event

interface Compared {
  readonly got: unknown
  readonly expected: unknown
}

/** What somebody has who comes back after that event, beside what he ought to have. */
function compared(
  live: readonly WrittenEvent[],
  again: (options: OpenAiResponsesOptions) => WrittenEvent[],
  index: number,
): Compared {
  const startingAfter = live[index]?.sequence_number ?? 0
  const rest = again({ startingAfter })
  const [end, told] = [live.at(-1), rest.at(-1)]
  if (!end || !told || !('response' in end) || !('response' in told)) throw new TypeError('no end')
  const isLater = told.sequence_number >= startingAfter
  const views = {
    got: { isLater, view: withoutThoughts(told) },
    expected: { isLater: true, view: withoutThoughts(end) },
  }
  // What was said and never committed is told to nobody else.
  if (end.type === 'response.failed') return views
  if (isApart(live)) {
    const whole = written(live)
    const both = written([...live.slice(0, index + 1), ...rest])
    // Behind the leap there may be nothing but the end.
    const broken = Object.entries(whole).filter(([id, text]) =>
      startingAfter >= ELSEWHERE ? !text.startsWith(both[id] ?? '') : both[id] !== text,
    )
    const torns = torn([...live.slice(0, index + 1), ...rest])
    return { got: { ...views.got, broken, torns }, expected: { ...views.expected, broken: [], torns: [] } }
  }
  return { got: merged(rest), expected: merged(index === live.length - 1 ? [end] : live.slice(index + 1)) }
}

test('after every number the stream that is told again from the facts goes on as the live one did', () => {
  fc.assert(
    fc.property(anyNamedRun, anyOptions, (live, options) => {
      const events = liveOf(live, options)
      for (const index of events.keys()) {
        const { got, expected } = compared(events, (more) => againOf(live, { ...options, ...more }), index)
        expect(got).toEqual(expected)
      }
    }),
    { seed, numRuns },
  )
}, 3_600_000)

test('and so does the one of whoever joins while the run goes on', () => {
  const ends = fc.nat({ max: 1000 })
  fc.assert(
    fc.property(anyNamedRun, anyOptions, ends, (live, options, at) => {
      const position = Math.round((at * live.script.length) / 1000)
      const events = liveOf(live, options)
      // What models cost before it came is told in no commit.
      const free = events.map(unpaid)
      const joined = (more: OpenAiResponsesOptions): WrittenEvent[] => {
        const target = transcoder(contextOf(live), { ...options, ...more }, joinAt(live, position))
        const later = units(live, FOLD).slice(position).flat()
        return eventsOf([...target.settled(), ...groupsOf(later, target).flat()]).map(unpaid)
      }
      for (const index of free.keys()) {
        const { got, expected } = compared(free, joined, index)
        expect(got).toEqual(expected)
      }
    }),
    { seed, numRuns },
  )
}, 3_600_000)

const saidIn = (response: Response | undefined): unknown => response?.output.filter(({ type }) => type !== 'reasoning')

test.each<ClientVersion>(['7', '6'])(
  'the official client, %s, ends with the same whole after any cut',
  async (version) => {
    await fc.assert(
      fc.asyncProperty(anyNamedRun, anyOptions, fc.nat({ max: 1000 }), async (live, options, at) => {
        const events = liveOf(live, options)
        const index = Math.round((at * (events.length - 1)) / 1000)
        const startingAfter = events[index]?.sequence_number ?? 0
        const rest = index === events.length - 1 ? [] : againOf(live, { ...options, startingAfter })
        const whole = await readFinal(bodyOf(events), { version })
        const both = await readFinal(bodyOf([...events.slice(0, index + 1), ...rest]), { version })
        // What was thought after the text stands before it in the facts: a client that has half of it is told so, or has the whole.
        const view = isApart(events) ? saidIn : (response: Response | undefined): unknown => response
        const isToldSo = isApart(events) && both.error !== undefined
        expect(isToldSo ? whole.error : both.error).toEqual(whole.error)
        expect(view(isToldSo ? whole.response : both.response)).toEqual(view(whole.response))
      }),
      { seed, numRuns: Math.ceil(numRuns / 2) },
    )
  },
  3_600_000,
)
