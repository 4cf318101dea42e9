/** A process that is killed at any moment, and what its clients find when it is there again. */
import { type Message, textOf } from '@factwire/core'
import { type FlatEvent, parseFlat, readSse, reduce, type Turn } from '@factwire/sse'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildAll, folder, isThere, needsIt } from './kept.ts'
import { served, type Served, START } from './process.ts'
import { go } from './world.ts'

const KILLS = Number(process.env['FACTWIRE_KILLS'] ?? 3)
const RUNS = 8
const SCENES = ['parallel-tools', 'many-rounds', 'approval', 'text', 'reasoning', 'mixed'] as const

interface Seen {
  readonly run: string
  /** All that came, over all connections. */
  readonly events: FlatEvent[]
  last: string | undefined
  over: boolean
}

interface Listed {
  readonly run_id: string
  readonly status: string
  readonly cause?: { readonly failure?: { readonly code: string } }
}

beforeAll(buildAll, 300_000)

describe.skipIf(!isThere)(`${needsIt}a server that is killed`, () => {
  test(`${KILLS} times, loses nothing that a client has seen as true, and leaves no run open`, async () => {
    const cwd = folder()
    const seen: Seen[] = []
    let server = await served([START, '--port', '0', '--store', 'sqlite', '--log', 'off'], cwd)
    for (let kill = 0; kill < KILLS; kill++) {
      const reading = Array.from({ length: RUNS }, async (_, index) =>
        begin(server, SCENES[index % SCENES.length] ?? 'text', seen),
      )
      // At whatever place they are by then.
      await new Promise((resolve) => setTimeout(resolve, 200 + ((kill * 379) % 700)))
      expect(await server.stop('SIGKILL')).toBe('SIGKILL')
      await Promise.all(reading)
      const again = await served([START, '--port', '0', '--store', 'sqlite', '--log', 'off'], cwd)
      server = again
      await Promise.all(seen.filter(({ over }) => !over).map(async (one) => comeBack(again, one)))
      for (const one of seen) expect(shownBy(one)).toEqual(await trueOf(again, one))
    }
    const list = async (): Promise<readonly Listed[]> =>
      ((await (await fetch(`${server.url}/v1/runs?limit=200`)).json()) as { items: readonly Listed[] }).items
    // Also those whose clients have heard nothing of them, and will not ask.
    await expect
      .poll(async () => (await list()).filter(({ status }) => status === 'running'), { timeout: 20_000 })
      .toEqual([])
    const items = await list()
    // Otherwise nothing was cut in the middle, and nothing is shown by this.
    expect(items.filter(({ cause }) => cause?.failure?.code === 'producer_lost').length).toBeGreaterThan(0)
    const last = new Set(seen.slice(-100).map(({ run }) => run))
    expect(items.filter(({ run_id }) => last.has(run_id))).toHaveLength(last.size)
    await server.stop('SIGTERM')
  }, 600_000)
})

async function begin({ url }: Served, model: string, seen: Seen[]): Promise<void> {
  const body = JSON.stringify(go(model))
  const response = await fetch(`${url}/v1/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  }).catch(() => undefined)
  const run = response?.headers.get('x-run-id')
  if (!response || typeof run !== 'string') return
  const one: Seen = { run, events: [], last: undefined, over: false }
  seen.push(one)
  await read(response, one)
}

/** Until it ends, or the connection does; or a while after the run waits. */
async function read(response: Response, one: Seen): Promise<void> {
  try {
    for await (const { data, id } of readSse(response)) {
      const event = parseFlat(JSON.parse(data))
      if (event) one.events.push(event)
      one.last = id ?? one.last
      if (event?.event_type !== 'run_finish') continue
      one.over = true
      return
    }
  } catch {
    // The server is gone.
  }
}

/** With the last number that it has; to the end that the run has then. */
async function comeBack({ url }: Served, one: Seen): Promise<void> {
  const headers: Readonly<Record<string, string>> = one.last === undefined ? {} : { 'last-event-id': one.last }
  const response = await fetch(`${url}/v1/runs/${one.run}/events`, { headers })
  expect([200, 204]).toContain(response.status)
  if (response.status === 200) await read(response, one)
  one.over = true
}

interface Thread {
  readonly texts: readonly string[]
  readonly results: Readonly<Record<string, string>>
}

/** What a client shows that has folded all that it got, before the server died and after. */
function shownBy({ events }: Seen): Thread {
  const { before, turns } = reduce(events)
  const own = [...before, ...turns].filter((turn): turn is Turn => turn.role === 'assistant')
  const results = own.flatMap(({ calls }) => calls.flatMap(({ id, result }) => (result ? [[id, result.text]] : [])))
  return { texts: own.map(({ text }) => text).filter((text) => text !== ''), results: Object.fromEntries(results) }
}

async function trueOf({ url }: Served, { run }: Seen): Promise<Thread> {
  const record = (await (await fetch(`${url}/v1/runs/${run}`)).json()) as { thread_id: string }
  const answer = await fetch(`${url}/v1/threads/${record.thread_id}/messages`)
  const { messages } = (await answer.json()) as { messages: readonly Message[] }
  const blocks = messages.flatMap(({ content }) => content)
  const results = blocks.flatMap((block) =>
    block.type === 'tool_result' ? [[block.tool_use_id, textOf(block.content)]] : [],
  )
  const texts = messages.filter(({ role }) => role === 'assistant').map(({ content }) => textOf(content))
  return { texts: texts.filter((text) => text !== ''), results: Object.fromEntries(results) }
}
