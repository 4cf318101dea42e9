import {
  type AgentEvent,
  type Commit,
  type Delta,
  type Fact,
  fold,
  type Message,
  parseEvent,
  type RunWriter,
  runWriter,
  type Standing,
  type Written,
} from '@factwire/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { json, text } from './arbitraries.ts'

const eventsOf = (written: readonly Written[]): AgentEvent[] => written.flatMap(({ events }) => [...events])

const factsOf = (written: readonly Written[]): Fact[] =>
  eventsOf(written).flatMap((event) => (event.tier === 'fact' ? [event.event] : []))

const deltasOf = (written: readonly Written[]): Delta[] =>
  eventsOf(written).flatMap((event) => (event.tier === 'delta' ? [event.event] : []))

type Action = (writer: RunWriter) => Written

const callId = fc.constantFrom('a', 'b', 'a-2', '__proto__')
const named = (act: (writer: RunWriter, id: string) => Written): fc.Arbitrary<Action> =>
  callId.map((id) => (writer) => {
    try {
      return act(writer, id)
    } catch (error) {
      expect(error).toBeInstanceOf(TypeError)
      return { events: [] }
    }
  })

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: text.map(
      (fragment): Action =>
        (writer) =>
          writer.text(fragment),
    ),
  },
  {
    weight: 2,
    arbitrary: text.map(
      (fragment): Action =>
        (writer) =>
          writer.reasoning(fragment),
    ),
  },
  {
    weight: 6,
    arbitrary: fc
      .record({
        id: callId,
        name: fc.constantFrom('f', 'g', ''),
        args: fc.oneof(
          text,
          json.map((value) => JSON.stringify(value)),
        ),
        disposition: fc.constantFrom('executed', 'pending_client', undefined),
      })
      .map(
        ({ id, name, args, disposition }): Action =>
          (writer) =>
            writer.toolCall(id, name, args, disposition),
      ),
  },
  { weight: 1, arbitrary: named((writer, id) => writer.toolOutput(id, 'out')) },
  { weight: 4, arbitrary: named((writer, id) => writer.toolResult(id, 'ok')) },
  { weight: 1, arbitrary: named((writer, id) => writer.cancelCall(id, 'x')) },
  { weight: 1, arbitrary: fc.constant<Action>((writer) => writer.reset('x')) },
  { weight: 3, arbitrary: fc.constant<Action>((writer) => writer.commit()) },
  { weight: 1, arbitrary: fc.constant<Action>((writer) => writer.await([])) },
)

/** Somebody's own messages, with or without the results of their calls. */
const ownCommit: fc.Arbitrary<Action> = fc
  .record({ ids: fc.array(callId, { maxLength: 3 }), answered: fc.boolean() })
  .map(({ ids, answered }): Action => (writer) => {
    const calls = ids.map((id) => ({ type: 'tool_use' as const, id, name: 'f', input: {} }))
    const results = ids.map((id) => ({ type: 'tool_result' as const, tool_use_id: id, content: [], is_error: false }))
    const message: Message = { id: writer.messageId(), role: 'assistant', content: calls }
    const answer: Message = { id: `answer-to-${message.id}`, role: 'tool', content: results }
    return writer.commit({ messages: answered ? [message, answer] : [message] })
  })

const actions = fc.array(action, { maxLength: 30 })
const allActions = fc.array(fc.oneof({ weight: 9, arbitrary: action }, { weight: 1, arbitrary: ownCommit }), {
  maxLength: 30,
})

function perform(todo: readonly Action[]): { readonly writer: RunWriter; readonly written: Written[] } {
  const writer = runWriter({ runId: 'ru' })
  const written = todo.map((act) => act(writer))
  written.push(writer.end({ type: 'cancelled' }))
  return { writer, written }
}

test('gives, for any run, the facts that a fold of its commits gives', () => {
  fc.assert(
    fc.property(allActions, (todo) => {
      const { writer, written } = perform(todo)
      const commits = written.flatMap(({ commit }): Commit[] => (commit ? [commit] : []))
      let standing: Standing = { openCalls: [] }
      const facts = commits.flatMap((commit) => {
        const folded = fold(commit, standing)
        standing = folded.after
        return [...folded.facts]
      })
      expect(factsOf(written)).toStrictEqual(facts)
      expect(writer.standing()).toStrictEqual(standing)
      expect(writer.messages()).toStrictEqual(commits.flatMap(({ messages }) => messages))
      for (const event of eventsOf(written)) expect(parseEvent(event)).toStrictEqual(event)
    }),
    { seed: 1, numRuns: 300 },
  )
})

test('leaves, for any run, no call without one result and no id used twice', () => {
  fc.assert(
    fc.property(allActions, (todo) => {
      const { writer } = perform(todo)
      const blocks = writer.messages().flatMap(({ content }) => content)
      const used = blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))
      const answered = blocks.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []))
      expect(new Set(used).size).toBe(used.length)
      expect(answered.toSorted()).toStrictEqual(used.toSorted())
      const ids = writer.messages().map(({ id }) => id)
      expect(new Set(ids).size).toBe(ids.length)
    }),
    { seed: 1, numRuns: 300 },
  )
})

test('shows, for any run, only what is in the committed message, from its beginning and without a gap', () => {
  fc.assert(
    fc.property(actions, (todo) => {
      const { writer, written } = perform(todo)
      const withdrawn = new Set<string>()
      const shown = new Map<string, string>()
      let current = ''
      for (const delta of deltasOf(written)) {
        if (delta.type === 'step_started') current = delta.message_id
        if (delta.type === 'stream_reset') for (const item of shown.keys()) if (isOf(current, item)) withdrawn.add(item)
        if (delta.type === 'tool_call_cancelled') withdrawn.add(`${current} call ${delta.id}`)
        const fragment = fragmentOf(delta)
        if (!fragment) continue
        const item = `${current} ${fragment.item}`
        const before = shown.get(item) ?? ''
        expect(fragment).toMatchObject({ message_id: current, offset: before.length })
        shown.set(item, before + fragment.text)
      }
      const kept = [...shown].filter(([item]) => !withdrawn.has(item))
      expect(kept.filter(([item, value]) => !isShownOf(value, truthOf(writer.messages(), item)))).toStrictEqual([])
    }),
    { seed: 1, numRuns: 300 },
  )
})

const isOf = (message: string, item: string): boolean => item.startsWith(`${message} `)

/** All but the half of a surrogate pair that nobody completed, or the empty object that no arguments mean. */
function isShownOf(shown: string, truth: string | undefined): boolean {
  if (shown === '' && truth === '{}') return true
  return truth !== undefined && truth.startsWith(shown) && truth.length <= shown.length + 1
}

function fragmentOf(delta: Delta): { item: string; message_id: unknown; offset: unknown; text: string } | undefined {
  switch (delta.type) {
    case 'text_delta':
      return { item: 'text', text: delta.delta, ...place(delta) }
    case 'reasoning_delta':
      return { item: 'reasoning', text: delta.delta, ...place(delta) }
    case 'tool_call_delta':
      return { item: `call ${delta.id}`, text: delta.args_delta, ...place(delta) }
    default:
      return undefined
  }
}

function place({ message_id, offset }: { readonly message_id?: string; readonly offset?: number }): {
  message_id: unknown
  offset: unknown
} {
  return { message_id, offset }
}

/** What was committed for an item, or undefined where it never was. */
function truthOf(messages: readonly Message[], item: string): string | undefined {
  const message = messages.find(({ id }) => isOf(id, item))
  const texts = (message?.content ?? []).flatMap((block) => {
    if (block.type === 'text') return item.endsWith(' text') ? [block.text] : []
    if (block.type === 'thinking') return item.endsWith(' reasoning') ? [block.text] : []
    if (block.type !== 'tool_use' || !item.endsWith(` call ${block.id}`)) return []
    return [block.raw_input ?? JSON.stringify(block.input)]
  })
  return texts.length === 0 ? undefined : texts.join('')
}

test('shows no half of a surrogate pair that was cut by a fragment', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('😀', 'a', '👩‍👩‍👧', 'é'), { maxLength: 8 }).map((parts) => parts.join('')),
      fc.array(fc.nat({ max: 4 }), { maxLength: 40 }),
      (whole, cuts) => {
        const writer = runWriter({ runId: 'ru' })
        const written: Written[] = []
        let from = 0
        for (const cut of [...cuts, whole.length]) {
          written.push(writer.text(whole.slice(from, from + cut)))
          from += cut
        }
        const deltas = deltasOf(written).flatMap((delta) => (delta.type === 'text_delta' ? [delta.delta] : []))
        expect(deltas.join('')).toBe(whole)
        expect(deltas.every((delta) => !/\p{Surrogate}/u.test(delta))).toBe(true)
      },
    ),
    { seed: 1, numRuns: 200 },
  )
})
