/** What a client of new-wire ends with. Written from the specification alone: it judges the encoder. */
import { type ClientView, type SeenCall, type SeenTurn, type Stage, readMessages } from '@factwire/conformance'
import type { Json } from '@factwire/core'
import type { CallFrame, EndFrame, ErrorFrame, Frame, ResultFrame } from '../src/wire.ts'

interface Shown {
  readonly id: string
  text: string
  readonly calls: { readonly told: CallFrame; result?: ResultFrame }[]
}

/** Reads one stream after another, as a page does that stays open. */
export function clientView(body: string, { had = '' }: Partial<Stage> = {}): ClientView {
  const client = newClient()
  try {
    for (const stream of [had, body]) {
      client.connect()
      const bytes = new TextEncoder().encode(stream)
      for (const { data } of readMessages([bytes])) client.take(JSON.parse(data) as Frame)
    }
  } catch (reason) {
    return { ...client.view(), rejected: String(reason) }
  }
  return client.view()
}

function newClient(): { connect(): void; take(frame: Frame): void; view(): ClientView } {
  let messages: Shown[] = []
  let named: Shown | undefined
  let started = false
  let last: EndFrame | ErrorFrame | undefined

  function current(): Shown {
    if (!named) throw new Error('no message is named')
    return named
  }

  function take(frame: Frame): void {
    if (last) throw new Error('the stream has ended')
    if (started === (frame.type === 'start')) throw new Error(started ? 'a second start' : 'no start')
    switch (frame.type) {
      case 'start':
        started = true
        if (frame.replay) messages = []
        break
      case 'message':
        named = messages.find(({ id }) => id === frame.id)
        if (named) break
        named = { id: frame.id, text: '', calls: [] }
        messages.push(named)
        break
      case 'text':
        current().text += frame.text
        break
      case 'drop':
        messages = messages.filter(({ id }) => id !== frame.id)
        named = undefined
        break
      case 'call':
        current().calls.push({ told: frame })
        break
      case 'result': {
        const call = messages
          .flatMap(({ calls }) => calls)
          .find(({ told, result }) => told.id === frame.call && !result)
        if (call) call.result = frame
        break
      }
      case 'end':
      case 'error':
        last = frame
        break
    }
  }

  return {
    connect() {
      named = undefined
      started = false
      last = undefined
    },
    take,
    view: () => ({ ...ending(last), turns: messages.map(seenTurn), warnings: [] }),
  }
}

function ending(last: EndFrame | ErrorFrame | undefined): Pick<ClientView, 'status' | 'code' | 'waitingFor'> {
  if (!last) return { status: 'running' }
  if (last.type === 'error') return { status: 'failed', code: last.code }
  if (last.reason === 'waiting') return { status: 'waiting', waitingFor: last.waiting.map(({ call }) => call) }
  return { status: 'finished' }
}

function seenTurn({ id, text, calls }: Shown): SeenTurn {
  return {
    id,
    text,
    calls: calls.map(({ told, result }) => ({
      id: told.id,
      name: told.name,
      ...argumentsOf(told),
      ...(result ? { result: { text: result.text, ...(result.error ? { is_error: true } : {}) } } : {}),
    })),
  }
}

function argumentsOf({ arguments: text }: CallFrame): Pick<SeenCall, 'arguments' | 'unparsed'> {
  try {
    return { arguments: JSON.parse(text) as Json }
  } catch {
    return { arguments: null, unparsed: text }
  }
}
