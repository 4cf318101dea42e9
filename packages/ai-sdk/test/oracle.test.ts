/** The AI SDK's own server as the judge: the same scene is the same message, whether it or this package writes it, and read back it is the same run. */
import { fileURLToPath } from 'node:url'
import { decodeChunks, readMessages } from '@factwire/conformance'
import { type AgentEvent, checkGrammar, type Commit, writer } from '@factwire/core'
import { expect, test } from 'vitest'
import { aiSdk, createGrammar, fromStreamText } from '../src/index.ts'
import type { Target } from '../src/wire.ts'
import { openChat } from './client.ts'
import { ASKED, fullStream, officialBody, SCENES } from './official.ts'

const TARGETS: readonly Target[] = ['v5', 'v6', 'v7']
const golden = fileURLToPath(new URL('../golden/', import.meta.url))
const asked = { id: 'user-1', role: 'user', content: [{ type: 'text', text: 'Go' }] } as const

const cases = TARGETS.flatMap((target) =>
  Object.entries(SCENES)
    // Approvals came with 6.
    .filter(([name]) => target !== 'v5' || name !== 'approval')
    .map(([name, scene]) => ({ target, name, scene })),
)

async function eventsOf(target: Target, name: string, commits: Commit[] = []): Promise<AgentEvent[]> {
  const events: AgentEvent[] = []
  // Each major tells its clients something else of a tool that threw.
  const onToolError = (error: unknown): string => (target === 'v7' ? String(error) : 'An error occurred.')
  const options = {
    runId: 'run-1',
    history: [asked],
    reasoning: 'text' as const,
    onToolError,
    onCommit: (commit: Commit) => void commits.push(commit),
  }
  for await (const event of fromStreamText(fullStream(target, SCENES[name] ?? { turns: [] }), options))
    events.push(event)
  return events
}

function write(target: Target, events: readonly AgentEvent[]): string {
  const { push, close } = writer(aiSdk, { threadId: 't', runId: 'run-1', history: [asked] }, { transcoder: { target } })
  return events.map(push).join('') + close()
}

/** What the chat of the same major has built; how it is marked who ran a call is what this package does better. */
async function built(target: Target, body: string): Promise<unknown> {
  const chat = openChat(target, { messages: ASKED })
  await chat.ask(body)
  const { status, messages, warnings } = chat.page()
  const parts: unknown = JSON.parse(
    JSON.stringify(messages.at(-1)?.parts, (key, value: unknown) => {
      if (key === 'providerExecuted' || key === 'resultProviderMetadata') return undefined
      // Where it is broken off, it leaves a text open that nothing more comes in.
      return key === 'state' && value === 'streaming' ? 'done' : value
    }),
  )
  const named = (parts as object[]).map((part) => ({ ...part, id: undefined }))
  return { status, warnings, id: messages.at(-1)?.id, parts: named.map(withoutApprovalId) }
}

/** The approval has an id of the server's own. */
function withoutApprovalId(part: object): object {
  return 'approval' in part ? { ...part, approval: 'asked' } : part
}

test.each(cases)('$target: the scene $name is the message that streamText gives', async ({ target, name, scene }) => {
  const official = await built(target, await officialBody(target, scene))
  expect(await built(target, write(target, await eventsOf(target, name)))).toEqual(official)
})

test.each(cases)('$target: the scene $name is read from the official encoder', async ({ target, name, scene }) => {
  const body = (await officialBody(target, scene)).replaceAll(/"approvalId":"[^"]*"/g, '"approvalId":"approval-1"')
  await expect(body).toMatchFileSnapshot(`${golden}${name}.${target}.wire`)
  const events = decodeChunks(aiSdk, [new TextEncoder().encode(body)])
  const lines = events.map((event) => `${JSON.stringify(event)}\n`).join('')
  await expect(lines).toMatchFileSnapshot(`${golden}${name}.${target}.events.jsonl`)
  // What it leaves open when it breaks is no example for anybody.
  const check = checkGrammar(createGrammar(target))
  const frames = readMessages([new TextEncoder().encode(body)]).flatMap((message) => aiSdk.framing.parse(message) ?? [])
  const breaches = [...frames.flatMap((frame) => check.push(frame)), ...check.end()]
  expect(breaches.filter(({ force }) => force === 'rejected')).toEqual([])
})

test.each(cases)(
  '$target: the scene $name is the same run, read from its parts or from its stream',
  async ({ target, name, scene }) => {
    const commits: Commit[] = []
    const produced = await eventsOf(target, name, commits)
    const read = decodeChunks(aiSdk, [new TextEncoder().encode(await officialBody(target, scene))])
    const told = (events: readonly AgentEvent[]): unknown[] =>
      events.flatMap(({ tier, event }): unknown[] => {
        if (tier !== 'fact') return []
        switch (event.type) {
          case 'assistant_message':
            return [event.content]
          case 'tool_call':
            return [[event.id, event.name, event.input]]
          case 'tool_result':
            return [[event.id, event.content, event.is_error]]
          case 'awaiting':
            return [event.pending?.map(({ tool_use_id, kind }) => [tool_use_id, kind])]
          case 'run_finished':
            return [event.cause]
          case 'run_failed':
            return [event.type]
          default:
            return []
        }
      })
    expect(told(read)).toEqual(told(produced))
    expect(commits.at(-1)?.state.type).not.toBe('running')
  },
)

test.each(TARGETS)('%s: whoever runs a call is known when it is committed', async (target) => {
  const events = await eventsOf(target, 'client-call')
  const calls = events.flatMap(({ event }) => (event.type === 'tool_call' ? [[event.id, event.disposition]] : []))
  expect(calls).toEqual([
    ['c1', 'executed'],
    ['ask', 'pending_client'],
  ])
})

test.each(TARGETS)('%s: a stream that throws is a failed run, and its words stay with the server', async (target) => {
  async function* broken(): AsyncGenerator<{ readonly type: string }> {
    yield* (await eventsIn(target)).slice(0, 4)
    throw new Error('secret')
  }
  const events: AgentEvent[] = []
  for await (const event of fromStreamText(broken(), { runId: 'run-1' })) events.push(event)
  expect(events.at(-1)?.event).toMatchObject({ type: 'run_failed', message: 'An error occurred.' })
  expect(JSON.stringify(events)).not.toContain('secret')
})

async function eventsIn(target: Target): Promise<{ readonly type: string }[]> {
  const parts: { readonly type: string }[] = []
  for await (const part of fullStream(target, SCENES['text'] ?? { turns: [] })) parts.push(part)
  return parts
}
