import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { FactStore } from '@factwire/hub'
import { describe, expect, test } from 'vitest'
import { memoryStorage, type Storage } from '../src/index.ts'
import { sqliteStorage } from '../src/sqlite-storage.ts'
import { build, folder, inFile, inMemory, isThere, type Kept, needsIt } from './kept.ts'
import { started, type Started } from './world.ts'

const WORDS = 'word '.repeat(100)

async function turn({ post }: Started, index: number): Promise<void> {
  const messages = [{ role: 'user', content: `${index} ${WORDS}` }]
  const answer = await post('/v1/runs', { model: 'text', thread_id: 'long', messages })
  expect(await answer.text()).toContain('natural_end')
}

async function turns(gateway: Started, from: number, to: number): Promise<void> {
  for (let index = from; index < to; index++) await turn(gateway, index)
}

async function threadOf({ get }: Started, id = 'long'): Promise<readonly { readonly role: string }[]> {
  return ((await (await get(`/v1/threads/${id}/messages`)).json()) as { messages: { role: string }[] }).messages
}

describe('a conversation', () => {
  conversations(inMemory)
})
describe.skipIf(!isThere)(`${needsIt}a conversation in a file`, () => {
  conversations(inFile)

  test('takes the same room for each turn', async () => {
    build('core', 'hub', 'sqlite')
    const file = join(folder(), 'runs.db')
    const gateway = await started({ storage: async () => sqliteStorage(file) })
    const size = (): number => statSync(file).size + statSync(`${file}-wal`).size
    await turns(gateway, 0, 20)
    const begun = size()
    await turns(gateway, 20, 60)
    const middle = size()
    await turns(gateway, 60, 100)
    // With the whole thread in each run the later turns would take twice what the earlier ones did.
    expect(size() - middle).toBeLessThan(1.4 * (middle - begun))
  })
})

function conversations({ place }: Kept): void {
  test('is whole after a restart, on every wire, and goes on from any of its runs', async () => {
    const open = place()
    const before = await started({ storage: open })
    await turns(before, 0, 5)
    const told = await threadOf(before)
    expect(told).toHaveLength(10)
    const { items } = (await (await before.get('/v1/runs?thread=long')).json()) as { items: { run_id: string }[] }
    await before.close()
    const after = await started({ storage: open })
    expect(await threadOf(after)).toEqual(told)
    await turn(after, 5)
    expect((await threadOf(after)).slice(0, 10)).toEqual(told)
    // From the third of them on another thread begins.
    const third = items.at(2)?.run_id
    const response = await after.post('/v1/responses', {
      model: 'text',
      previous_response_id: `resp_${third}`,
      input: 'Another way.',
    })
    const branch = response.headers.get('x-thread-id') ?? ''
    expect(branch).not.toBe('long')
    const messages = await threadOf(after, branch)
    expect(messages.map(({ role }) => role)).toEqual(told.slice(0, 8).map(({ role }) => role))
    expect(messages.slice(0, 6)).toEqual(told.slice(0, 6))
    const joined = await (await after.get(`/v1/runs/${third}/events?as=ag-ui`)).text()
    expect(joined.match(/"role":"user"/g)?.length).toBeGreaterThanOrEqual(3)
  })
}

test('each turn asks the store as often as the one before, and lists load no run', async () => {
  const asked = { load: 0, steps: 0 }
  const counting = (): Storage => {
    const storage = memoryStorage()
    const facts: FactStore = {
      ...storage.facts,
      load: (...given) => {
        asked.load++
        return storage.facts.load(...given)
      },
      steps: (...given) => {
        asked.steps++
        return storage.facts.steps(...given)
      },
    }
    return { ...storage, facts }
  }
  const gateway = await started({ storage: async () => counting() })
  await turns(gateway, 0, 3)
  const cost = async (index: number): Promise<number> => {
    const before = asked.load + asked.steps
    await turn(gateway, index)
    return asked.load + asked.steps - before
  }
  const early = await cost(3)
  await turns(gateway, 4, 30)
  expect(await cost(30)).toBeLessThanOrEqual(early)
  const { load, steps } = asked
  await (await gateway.get('/v1/runs')).text()
  expect(asked).toEqual({ load, steps })
})
