import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { memoryStorage, type Storage } from '../src/index.ts'
import { go, started, type Started } from './world.ts'

/** Takes its time to begin a run, as a disk does. */
function slow(milliseconds = 20): Storage {
  const storage = memoryStorage()
  const { facts } = storage
  const create: typeof facts.create = async (...given) => {
    await pause(milliseconds)
    return facts.create(...given)
  }
  return { ...storage, facts: { ...facts, create } }
}

const runsOf = async ({ get }: Started): Promise<number> =>
  ((await (await get('/v1/runs')).json()) as { items: readonly unknown[] }).items.length

const last = async ({ get }: Started): Promise<unknown> =>
  ((await (await get('/v1/runs')).json()) as { items: readonly unknown[] }).items[0]

const eight = Array.from({ length: 8 }, (_, index) => index)

test('who is told to ask again because too many read has begun nothing', async () => {
  const gateway = await started({ pace: 30, limits: { readers: 1 }, storage: async () => slow() })
  const ask = (): Promise<Response> => gateway.post('/v1/chat/completions', go('text', { stream: true }))
  const answers = await Promise.all(eight.map(ask))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  const refused = answers.filter(({ status }) => status === 503)
  expect(refused.map(({ headers }) => headers.get('retry-after'))).toEqual(eight.slice(1).map(() => '5'))
  expect(await runsOf(gateway)).toBe(1)
  await Promise.all(answers.map(async (answer) => answer.text()))
  await expect.poll(async () => (await ask()).status).toBe(200)
})

test('who finds too many readers after the run has begun is not told to ask again', async () => {
  const gateway = await started({ pace: 30, limits: { readers: 2 }, storage: async () => slow(200) })
  const first = await gateway.post('/v1/runs', go('parallel-tools'), { prefer: 'respond-async' })
  const asked = gateway.post('/v1/chat/completions', go('text', { stream: true }))
  await pause(60)
  const watched = `/v1/runs/${first.headers.get('x-run-id')}/events`
  const reading = await Promise.all([gateway.get(watched), gateway.get(watched)])
  const answer = await asked
  expect([answer.status, answer.headers.get('x-should-retry'), answer.headers.get('retry-after')]).toEqual([
    503,
    'false',
    null,
  ])
  expect(answer.headers.get('x-run-id')).toMatch(/^run-/)
  await Promise.all(reading.map(async ({ body }) => body?.cancel()))
})

test('of many that begin at once no more are written than may be', async () => {
  const gateway = await started({ pace: 30, limits: { runs: 2 }, storage: async () => slow() })
  const ask = (): Promise<Response> => gateway.post('/v1/runs', go('text'), { prefer: 'respond-async' })
  const answers = await Promise.all(eight.map(ask))
  expect(answers.filter(({ status }) => status === 202)).toHaveLength(2)
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(6)
  expect(await runsOf(gateway)).toBe(2)
  await expect.poll(async () => (await ask()).status).toBe(202)
})

test('a client that leaves before its run has begun ends it', async () => {
  const gateway = await started({ pace: 100, storage: async () => slow(200) })
  const leaving = new AbortController()
  const asked = fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(go('parallel-tools')),
    signal: leaving.signal,
  }).catch(() => 'left')
  await pause(80)
  leaving.abort()
  expect(await asked).toBe('left')
  await expect.poll(async () => last(gateway), { timeout: 5000 }).toMatchObject({ status: 'ended' })
  expect(await last(gateway)).toMatchObject({ cause: { type: 'cancelled' } })
})
