/** A message that is committed while calls of the one before have no result. */
import { type Fact, writer } from '@factwire/core'
import { expect, test } from 'vitest'
import { aiSdk } from '../src/index.ts'

const call = (id: string, message_id: string, disposition: 'executed' | 'pending_client'): Fact => ({
  type: 'tool_call',
  id,
  name: 'look',
  input: {},
  disposition,
  message_id,
})

test('a call of the client begins in its own step, and is handed over there once the run waits', () => {
  const { push, settled } = writer(aiSdk, { threadId: 't', runId: 'r' })
  const tell = (fact: Fact): string => push({ tier: 'fact', event: fact })
  const facts: readonly (Fact | undefined)[] = [
    { type: 'run_started' },
    call('a', 'm1', 'executed'),
    undefined,
    call('b', 'm2', 'pending_client'),
    undefined,
    { type: 'tool_result', id: 'a', content: [], is_error: false },
    { type: 'step_ended', message_id: 'm1' },
    { type: 'awaiting', pending_tool_use_id: 'b', pending: [{ tool_use_id: 'b', kind: 'client' }] },
  ]
  const text = facts.map((fact) => (fact ? tell(fact) : settled())).join('')
  const ofB = [...text.matchAll(/"type":"(start-step|tool-input-[a-z]+)"(?:,"toolCallId":"(\w)")?/g)]
  expect(ofB.map(([, type, id]) => (id === undefined ? type : `${type} ${id}`)).slice(-4)).toEqual([
    'start-step',
    'tool-input-start b',
    'tool-input-delta b',
    'tool-input-available b',
  ])
})
