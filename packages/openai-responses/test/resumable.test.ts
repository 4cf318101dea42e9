import { type Joined, runWriter, writer } from '@factwire/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { framing, openaiResponses, type OpenAiResponsesOptions, type ResponsesEvent } from '../src/index.ts'
import { approval, bodyOf, clientTool, factsOf, parallel, reasoning, RUN, tell, tool } from './scenes.ts'

const resumable: OpenAiResponsesOptions = { clientTools: ['choose', 'ask_user'], resumable: true }

const eventsIn = (body: string): ResponsesEvent[] =>
  body
    .split('\n\n')
    .flatMap((message) => framing.parse({ data: message.replace(/^event: .*\ndata: /, '') }) ?? [])
    .flatMap((frame) => (typeof frame === 'string' ? [] : [frame]))

/** What a client has of a stream that shows fragments and never looks at the whole. */
function shown(events: readonly ResponsesEvent[]): Record<string, string> {
  const texts: Record<string, string> = {}
  for (const { item_id, delta } of events) {
    if (typeof item_id === 'string' && typeof delta === 'string') texts[item_id] = (texts[item_id] ?? '') + delta
  }
  return texts
}

const numberOf = ({ sequence_number }: ResponsesEvent): number => Number(sequence_number)

test.each([
  ['a tool of the agent', tool],
  ['a thought', reasoning],
  ['two tools at once', parallel],
  ['an approval', approval],
])('whoever comes back after any event of %s gets the rest, from the facts alone', (_scene, scene) => {
  const { events } = tell(scene)
  const live = eventsIn(bodyOf(events, resumable))
  for (const [index, event] of live.entries()) {
    const rest = eventsIn(bodyOf(factsOf(events), { ...resumable, startingAfter: numberOf(event) }))
    expect(rest.every((each) => numberOf(each) > numberOf(event) || each === rest.at(-1))).toBe(true)
    expect(shown([...live.slice(0, index + 1), ...rest])).toEqual(shown(live))
    expect(rest.at(-1)).toEqual(live.at(-1))
  }
})

test('a thought that a text has cut in two is whole for whoever comes back, and no word of it comes behind its end', () => {
  const run = runWriter({ runId: RUN.runId, reasoning: 'text' })
  const said = [run.reasoning('Hm.'), run.text('A'), run.reasoning('Oh, and more.'), run.text('B'), run.end()]
  const events = said.flatMap((written) => written.events)
  const live = eventsIn(bodyOf(events, resumable))
  const end = live.findIndex(({ type }) => type === 'response.reasoning_summary_text.done')
  for (const [index, event] of live.slice(0, -1).entries()) {
    const rest = eventsIn(bodyOf(factsOf(events), { ...resumable, startingAfter: numberOf(event) }))
    const thought = shown([...live.slice(0, index + 1), ...rest])['rs_run-1-assistant-0']
    const more = rest.some(({ type }) => type === 'response.reasoning_summary_text.delta')
    const isOver = index >= end
    expect({ after: event.type, thought, more }).toEqual({
      after: event.type,
      thought: isOver ? 'Hm.' : 'Hm.Oh, and more.',
      more: !isOver,
    })
  }
})

test('who comes back while the run goes on gets the rest of what is open', () => {
  const run = runWriter({ runId: RUN.runId })
  const before = [
    run.text('I look.'),
    run.toolCall('call_a', 'look_up', '{}'),
    run.commit(),
    run.toolResult('call_a', 'x'),
    run.text('It is '),
  ]
  const joined: Joined = {
    committed: { messages: run.messages(), standing: run.standing() },
    open: before.at(-1)?.events.flatMap(({ tier, event }) => (tier === 'delta' ? [event] : [])) ?? [],
  }
  const rest = [run.text('cold.'), run.end()].flatMap(({ events }) => events)
  const live = eventsIn(bodyOf([...before.flatMap(({ events }) => events), ...rest], resumable))
  for (const [index, event] of live.entries()) {
    const transcoder = { ...resumable, startingAfter: numberOf(event) }
    const { settled, push, close } = writer(openaiResponses, RUN, { join: joined, transcoder })
    const later = eventsIn(settled() + rest.map(push).join('') + close())
    expect(shown([...live.slice(0, index + 1), ...later])).toEqual(shown(live))
  }
})

test('who comes back with a number that stands nowhere else gets the end alone, also while the run goes on', () => {
  const run = runWriter({ runId: RUN.runId, reasoning: 'text' })
  const before = [run.text('A'), run.reasoning('Hm.'), run.toolCall('call_a', 'look_up', '{}'), run.commit()]
  const joined: Joined = { committed: { messages: run.messages(), standing: run.standing() }, open: [] }
  const rest = [run.toolResult('call_a', 'x'), run.text('B'), run.reasoning('Oh.'), run.end()].flatMap(
    ({ events }) => events,
  )
  const live = eventsIn(bodyOf([...before.flatMap(({ events }) => events), ...rest], resumable))
  const apart = live.map(numberOf).filter((number) => number >= 2 ** 30)
  expect(apart.length).toBeGreaterThan(10)
  for (const startingAfter of apart) {
    const { settled, push, close } = writer(openaiResponses, RUN, {
      join: joined,
      transcoder: { ...resumable, startingAfter },
    })
    const later = eventsIn(settled() + rest.map(push).join('') + close())
    expect(later.map(({ type }) => type)).toEqual(['response.completed'])
  }
})

test('a call of the client is told when the run waits for it, and so by the facts', () => {
  const { events } = tell(clientTool)
  const live = eventsIn(bodyOf(events, resumable))
  for (const event of live) {
    const rest = eventsIn(bodyOf(factsOf(events), { ...resumable, startingAfter: numberOf(event) }))
    expect(shown([...live.slice(0, live.indexOf(event) + 1), ...rest])).toEqual(shown(live))
    expect(rest.at(-1)).toEqual(live.at(-1))
  }
})

test('after another attempt has begun, whoever comes back gets the whole response and no fragment', () => {
  const { events } = tell((run) => [
    run.text('It is '),
    run.reset('cut off'),
    run.text('It is '),
    run.text('4.'),
    run.end(),
  ])
  const live = eventsIn(bodyOf(events, resumable))
  const [, after] = live.filter(({ delta }) => delta !== undefined)
  const startingAfter = numberOf(after ?? { type: 'none' })
  const rest = eventsIn(bodyOf(factsOf(events), { ...resumable, startingAfter }))
  expect(rest.map(({ type }) => type)).toEqual(['response.completed'])
  expect(startingAfter).toBeGreaterThan(2 ** 30)
})

test('the numbers of what was said do not depend on how it was cut', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1 }), { minLength: 1 }), (pieces) => {
      const { events } = tell((run) => [...pieces.map((piece) => run.text(piece)), run.end()])
      const places = (given: typeof events): string[] =>
        eventsIn(bodyOf(given, resumable)).flatMap((event) =>
          event.delta === undefined ? [`${event.type} ${numberOf(event)}`] : [],
        )
      expect(places(events)).toEqual(places(factsOf(events)))
    }),
    { seed: 20_261_130, numRuns: 100 },
  )
})

test('numbers count from nought, one by one, where nobody comes back', () => {
  const numbers = eventsIn(bodyOf(tell(tool).events)).map(numberOf)
  expect(numbers).toEqual([...numbers.keys()])
})
