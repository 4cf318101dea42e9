/** An agent whose facts, decisions and claims are in one file: what one process has left another goes on with. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Committed, type Fact, textOf } from '@factwire/core'
import { createHub, type Hub } from '@factwire/hub'
import { history, openaiChat } from '@factwire/openai-chat'
import { inProcess, provider, scenes } from '@factwire/provider'
import { type Agent, agent, systemClock } from '@factwire/runtime'
import { readSse } from '@factwire/sse'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type SqliteStore, sqliteStore } from '../src/index.ts'
import { build, isThere, needsIt } from './built.ts'

const RUN = { threadId: 'thread-1', runId: 'run-1' }
const folder = mkdtempSync(join(tmpdir(), 'factwire-agent-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const file = join(folder, 'runs.db')

interface Process {
  readonly store: SqliteStore
  readonly hub: Hub
  readonly agent: Agent
  readonly removed: readonly string[]
  close(): Promise<void>
}

async function started(owner: string): Promise<Process> {
  const store = await sqliteStore(file)
  const hub = createHub({ store, owner })
  const removed: string[] = []
  return {
    store,
    hub,
    removed,
    agent: agent({
      model: {
        wire: openaiChat,
        messages: readSse,
        request: ({ messages }) => ({
          url: 'http://provider.test/chat/completions',
          body: { model: 'approval', stream: true, messages: history({ messages }) },
        }),
      },
      tools: [{ name: 'remove', approval: true, run: (input) => void removed.push(JSON.stringify(input)) }],
      fetch: inProcess(provider(scenes)),
      clock: systemClock,
      journal: store.journal,
      checkpoints: store.checkpoints,
    }),
    async close() {
      await hub.close()
      await store.close()
    },
  }
}

async function factsIn({ store }: Process): Promise<readonly Fact[]> {
  return (await store.facts(RUN.runId, -1, 1000)).map(({ fact }) => fact)
}

describe.skipIf(!isThere)(`${needsIt}an agent with its journal in the file of its facts`, () => {
  beforeAll(() => build('core', 'sse', 'hub', 'sqlite'))

  test('is asked in one process, answered in another, and does what it was told in a third', async () => {
    const one = await started('one')
    const asking = await one.hub.produce(RUN)
    const go = { id: 'go', role: 'user', content: [{ type: 'text', text: 'Go.' }] } as const
    const { over } = one.agent.run({ ...RUN, thread: EMPTY, messages: [go], output: asking })
    expect(await over).toEqual({ type: 'awaiting' })
    await one.close()

    // It keeps the decision, and dies before anybody hears of it.
    const two = await started('two')
    await two.store.journal.add(RUN.runId, [
      { type: 'decided', decision: { tool_use_id: 'call_r', approved: true } },
      { type: 'decided', decision: { tool_use_id: 'call_r', approved: false } },
    ])
    await two.close()

    const three = await started('three')
    const producer = await three.hub.produce(RUN)
    const thread = producer.committed()
    expect(await three.agent.run({ ...RUN, thread, output: producer }).over).toMatchObject({ type: 'ended' })
    expect(three.removed).toEqual(['{"path":"/tmp/x"}'])
    const facts = await factsIn(three)
    const last = facts.findLast((fact) => fact.type === 'assistant_message')
    expect(last && textOf(last.content)).toBe('It is done.')
    expect(await three.store.journal.read(RUN.runId)).toEqual([])
    await three.close()
  })
})

const EMPTY: Committed = { messages: [], standing: { openCalls: [] } }
