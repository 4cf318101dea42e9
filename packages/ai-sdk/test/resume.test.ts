/** Who comes late, comes back, or was cut off, with the official chat of each major. */
import {
  type AgentEvent,
  type Committed,
  type Delta,
  fold,
  type Message,
  runWriter,
  type Standing,
  writer,
} from '@factwire/core'
import { expect, test } from 'vitest'
import { aiSdk, history } from '../src/index.ts'
import type { Target } from '../src/wire.ts'
import { type Chat, openChat, type UIMessage } from './client.ts'

const TARGETS: readonly Target[] = ['v5', 'v6', 'v7']
const asked: Message = { id: 'u1', role: 'user', content: [{ type: 'text', text: 'Look.' }] }
const run = { threadId: 'chat-1', runId: 'run-1', history: [asked] }

interface Moment {
  /** What was sent by then. */
  readonly had: string
  /** All that is sent to who is there all the time. */
  readonly whole: string
  readonly committed: Committed
  readonly open: readonly Delta[]
  readonly rest: readonly AgentEvent[]
}

/** A run with a call, stopped before each of its events. */
function moments(target: Target): readonly Moment[] {
  const say = runWriter({ runId: 'run-1', history: [asked], reasoning: 'text' })
  const steps = [
    () => say.reasoning('Hm.'),
    () => say.text('Let me '),
    () => say.text('look.'),
    () => say.toolCall('c', 'look', '{"at":'),
    () => say.toolCall('c', 'look', '1}'),
    () => say.commit(),
    () => say.toolOutput('c', '…'),
    () => say.toolResult('c', 'a cat'),
    () => say.text('A cat.'),
    () => say.end(),
  ]
  const written = steps.map((step) => step())
  const all = written.flatMap(({ events }) => events)
  const whole = writer(aiSdk, run, { transcoder: { target } })
  const told = all.map(whole.push).join('') + whole.close()
  const live = writer(aiSdk, run, { transcoder: { target } })
  let committed: Committed = { messages: [asked], standing: { openCalls: [] } }
  let open: readonly Delta[] = []
  let had = ''
  let count = 0
  return written.flatMap(({ events, commit }): readonly Moment[] => {
    const moment = count === 0 ? [] : [{ had, whole: told, committed, open, rest: all.slice(count) }]
    if (commit) {
      const standing: Standing = fold(commit, committed.standing).after
      committed = { messages: [...committed.messages, ...commit.messages], standing }
      open = []
    }
    open = [...open, ...events.flatMap(({ tier, event }) => (tier === 'delta' ? [event] : []))]
    had += events.map(live.push).join('')
    count += events.length
    return moment
  })
}

function joined(target: Target, { committed, open, rest }: Moment): string {
  const { push, settled, close } = writer(aiSdk, run, { transcoder: { target }, join: { committed, open } })
  return settled() + rest.map(push).join('') + close()
}

const page = (target: Target): Chat =>
  openChat(target, { messages: history({ messages: [asked] }) as unknown as UIMessage[] })
const parts = (chat: Chat): unknown =>
  JSON.parse(JSON.stringify(chat.page().messages.map(({ id, parts: given }) => ({ id, parts: given }))))

test.each(TARGETS)('%s: whoever comes late ends as those who were there', async (target) => {
  const all = moments(target)
  const there = page(target)
  await there.ask(all[0]?.whole ?? '')
  for (const moment of all) {
    const late = page(target)
    await late.resume(joined(target, moment))
    expect(late.page()).toMatchObject({ status: 'ready', warnings: [], messages: { length: 2 } })
    expect(parts(late)).toEqual(parts(there))
  }
  expect(all.length).toBeGreaterThan(7)
})

// A chat of v5 adds to what it has, and so its page has to be opened anew.
test.each(['v6', 'v7'] as const)('%s: whoever was cut off and comes back has nothing twice', async (target) => {
  for (const moment of moments(target)) {
    const chat = page(target)
    await chat.ask(moment.had)
    expect(chat.page().messages.at(-1)?.metadata).toBeUndefined()
    await chat.resume(joined(target, moment))
    expect(chat.page()).toMatchObject({ status: 'ready', messages: { length: 2 }, ran: [] })
    expect(chat.page().messages[1]?.parts.map(({ type }) => type)).toEqual([
      'step-start',
      'reasoning',
      'text',
      'tool-look',
      'step-start',
      'text',
    ])
  }
})

test.each(TARGETS)('%s: a page that was opened anew goes on with what the history gave', async (target) => {
  for (const moment of moments(target)) {
    const stored = history(moment.committed, { target }) as unknown as UIMessage[]
    const chat = openChat(target, { messages: stored })
    await chat.resume(joined(target, moment))
    expect(chat.page()).toMatchObject({ status: 'ready', messages: { length: 2 } })
    expect(chat.page().messages[1]?.parts).toHaveLength(6)
  }
})

test('a chat that wants the rest alone goes on with what it has', async () => {
  for (const { had, whole } of moments('v7').slice(1)) {
    let lost = false
    const respond = (): Response => {
      if (lost) return new Response(whole.slice(had.length))
      lost = true
      const pieces = [new TextEncoder().encode(had)]
      return new Response(
        new ReadableStream({
          async pull(controller) {
            const piece = pieces.shift()
            if (piece) return controller.enqueue(piece)
            // What it has not looked at by then it loses.
            for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve))
            controller.error(new TypeError('network error'))
          },
        }),
      )
    }
    const messages = history({ messages: [asked] }) as unknown as UIMessage[]
    const chat = openChat('v7', { messages, tail: true, respond })
    await chat.ask()
    expect(chat.page().error?.message).toBe('network error')
    await chat.resume()
    expect(chat.page().error).toBeUndefined()
    expect(chat.page()).toMatchObject({ status: 'ready', messages: { length: 2 } })
    expect(chat.page().messages[1]?.parts).toHaveLength(6)
  }
})

test.each(TARGETS)('%s: nothing to come back to is 204, and changes nothing', async (target) => {
  const chat = openChat(target, {
    messages: history({ messages: [asked] }) as unknown as UIMessage[],
    respond: () => new Response(null, { status: 204 }),
  })
  await chat.resume()
  expect(chat.page()).toMatchObject({ status: 'ready', error: undefined, messages: { length: 1 } })
})
