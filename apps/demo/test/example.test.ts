import { readFileSync } from 'node:fs'
import { type FlatEvent, parseFlat, readSse, reduce } from '@factwire/sse'
import { expect, test } from 'vitest'
import { answer } from '../src/example.ts'

async function view(response: Response): Promise<ReturnType<typeof reduce>> {
  const events: FlatEvent[] = []
  for await (const { data } of readSse(response)) {
    const event = parseFlat(JSON.parse(data))
    if (event) events.push(event)
  }
  return reduce(events)
}

test('the README shows the example as it stands here', () => {
  const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')
  const example = readFileSync(new URL('../src/example.ts', import.meta.url), 'utf8')
  expect(readme).toContain(`\`\`\`ts\n${example}\`\`\``)
})

test('the example answers', async () => {
  async function* model(): AsyncGenerator<string> {
    yield 'Hel'
    yield 'lo'
  }
  const { status, turns, response } = await view(answer(model()))
  expect(status).toBe('finished')
  expect(turns.map(({ text }) => text)).toEqual(['Hello'])
  expect(response).toBe('Hello')
})

test('a model that breaks off is no success', async () => {
  async function* model(): AsyncGenerator<string> {
    yield 'Hel'
    throw new Error('connection reset')
  }
  const { status, error } = await view(answer(model()))
  expect(status).toBe('failed')
  expect(error?.code).toBe('stream_failed')
})
