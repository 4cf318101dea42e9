/** An `EventSource` on the SSE wire, with plain requests beside it. It comes back by itself, with its `Last-Event-ID`. */
import { EventSource } from 'eventsource'
import { type Call, type FlatEvent, isTerminal, parseFlat, reduce, type View as Shown } from '@factwire/sse'
import { callShown, type Client, type Part } from '../client.ts'
import type { View } from '../scene.ts'

export const client: Client = {
  name: 'eventsource',
  from: 'eventsource',
  unseen: {},
  cannot: {},
  afterCut: 'reads on',
  async play(part) {
    const tools = part.tools.map((name) => ({ name }))
    const { model, threadId: thread_id } = part
    const all: Shown[] = []
    for (const content of part.says) {
      const body = { model, thread_id, tools, messages: [{ role: 'user', content }] }
      const { run_id } = (await (await post(part, '/v1/runs', body)).json()) as { readonly run_id: string }
      all.push(await watched(part, run_id))
    }
    return viewOf(all)
  },
  join: async (part) => viewOf([await watched(part, part.runId)]),
}

const post = ({ url }: Part, path: string, body: object): Promise<Response> =>
  fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', prefer: 'respond-async' },
    body: JSON.stringify(body),
  })

function watched(part: Part, runId: string, isFirst = true): Promise<Shown> {
  return new Promise((resolve, reject) => {
    const events: FlatEvent[] = []
    const answered = new Set<string>()
    const source = new EventSource(`${part.url}/v1/runs/${runId}/events`)
    source.addEventListener('message', ({ data }) => {
      const event = parseFlat(JSON.parse(data))
      // What was read already is told though it is closed.
      if (!event || source.readyState === EventSource.CLOSED) return
      events.push(event)
      const view = reduce(events)
      if (isFirst && part.reloads && waitingIn(view).length > 0) {
        source.close()
        return resolve(watched(part, runId, false))
      }
      for (const call of waitingIn(view)) {
        if (answered.has(call.id)) continue
        answered.add(call.id)
        void answer(part, runId, call)
      }
      if (!isTerminal(event) || view.status === 'suspended') return
      source.close()
      resolve(view)
    })
    source.addEventListener('error', ({ code, message }) => {
      if (source.readyState === EventSource.CLOSED) reject(new Error(`${code} ${message}`))
    })
  })
}

const turnsOf = ({ before, turns }: Shown): Shown['turns'] =>
  [...before, ...turns].flatMap((turn) => ('calls' in turn ? [turn] : []))

const waitingIn = (view: Shown): readonly Call[] =>
  turnsOf(view).flatMap(({ calls }) => calls.filter(({ status }) => status === 'suspended'))

function answer(part: Part, runId: string, { id, name }: Call): Promise<Response> {
  const isOwn = part.tools.includes(name)
  const said = isOwn ? { action: 'resume', payload: part.run(name) } : { action: part.decide() ? 'resume' : 'cancel' }
  return post(part, `/v1/runs/${runId}/decision`, { tool_call_id: id, ...said })
}

/** Who comes late to a run is told of the thread before it. */
function viewOf(all: readonly Shown[]): View {
  const turns = [...new Map(all.flatMap(turnsOf).map((turn) => [turn.id, turn])).values()]
  const calls = turns.flatMap((turn) => turn.calls)
  const inference = all.flatMap((view) => view.inference)
  return {
    text: turns.flatMap(({ text }) => (text === '' ? [] : [text])).join('\n\n'),
    thoughts: turns.map(({ reasoning }) => reasoning).join(''),
    calls: calls.map((call) => callShown(call.name, JSON.stringify(call.arguments), resultOf(call))),
    tokens: inference.reduce((sum, { usage }) => sum + (usage?.completion_tokens ?? 0), 0),
    end: endOf(all.at(-1)),
  }
}

function resultOf({ status, result }: Call): string | undefined {
  if (status === 'succeeded') return result?.text ?? ''
  return status === 'failed' || status === 'denied' || status === 'cancelled' ? 'no' : undefined
}

function endOf(view: Shown | undefined): string {
  const { status = 'nothing', termination, error } = view ?? {}
  if (error) return `failed ${error.code}`
  if (termination?.type === 'natural_end') return 'done'
  if (termination?.type === 'stopped') return termination.value.code === 'length' ? 'exhausted' : termination.value.code
  return termination?.type ?? status
}
