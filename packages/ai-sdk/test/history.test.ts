import { anyResumedRun, anyRun, disturb, joinAt, type LiveRun } from '@factwire/conformance'
import type { AgentEvent, Committed, Message } from '@factwire/core'
import { writer } from '@factwire/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { aiSdk, history } from '../src/index.ts'
import type { Target } from '../src/wire.ts'
import { openChat, type UIMessage } from './client.ts'
import { contextWithHistory, earlier, earlierPage } from './view.ts'

const numRuns = Math.ceil(Number(process.env['FACTWIRE_RUNS'] ?? 150) / 2)
const TARGETS: readonly Target[] = ['v5', 'v6', 'v7']

type Part = { readonly [name: string]: unknown }

/**
 * Of a message what both must agree in. A client keeps what it was asked and what its user said; a thought that something came in
 * between of is in two parts; and parts stand as they came first, where stored messages have no order for that.
 */
function shape({ id, role, parts }: UIMessage): unknown {
  const steps: Part[][] = [[]]
  for (const part of JSON.parse(JSON.stringify(parts)) as Part[]) {
    if (part['type'] === 'step-start') steps.push([])
    else steps.at(-1)?.push(part)
  }
  const of = (step: readonly Part[], type: string): readonly Part[] => step.filter((part) => part['type'] === type)
  const thought = (step: readonly Part[]): string =>
    of(step, 'reasoning')
      .map((part) => part['text'])
      .join('')
  return {
    id,
    role,
    steps: steps.map((step) => ({
      thought: thought(step),
      thoughts: of(step, 'reasoning').map((part) => part['state']),
      text: of(step, 'text'),
      calls: step.flatMap(({ approval, ...part }) => {
        if (part['toolCallId'] === undefined) return []
        const { callProviderMetadata: _, ...call } = part
        // What the page itself ran, and was denied for all that, keeps what the page had.
        if (part['state'] === 'output-denied') return [{ ...call, output: undefined, providerExecuted: undefined }]
        return [part['state'] === 'approval-requested' ? { ...call, approval } : call]
      }),
    })),
  }
}

/** How often a thought was told apart is no matter. */
const comparable = (message: UIMessage): unknown =>
  JSON.parse(JSON.stringify(shape(message), (key, value: unknown) => (key === 'thoughts' ? undefined : value)))

function write(target: Target, run: LiveRun, events: readonly AgentEvent[], first?: LiveRun): string {
  const { push, close } = writer(aiSdk, contextWithHistory(run, first), { transcoder: { target } })
  return events.map(push).join('') + close()
}

const committedOf = (...runs: readonly LiveRun[]): Committed => {
  const parts = runs.map((run) => joinAt(run, run.script.length).committed)
  const last = parts.at(-1)
  return {
    ...last,
    standing: last?.standing ?? { openCalls: [] },
    messages: [...earlier, ...parts.flatMap(({ messages }) => messages)],
  }
}

/** What a user says meanwhile is a message of its own in the thread, and nobody's answer ends there while it is streamed. */
const isSteered = ({ script }: LiveRun): boolean =>
  script.some(
    (item) =>
      'commit' in item && item.commit.messages.some(({ role }: Message) => role === 'user' || role === 'system'),
  )

/** Keys that clients refuse are not told them; a thread may hold them. */
const isRefused = (run: LiveRun): boolean => JSON.stringify(run.script).includes('__proto__')

const answers = (messages: readonly UIMessage[]): readonly UIMessage[] =>
  messages.filter(({ role }) => role === 'assistant')

test.each(TARGETS)('what a chat of %s has built is what the history gives', async (target) => {
  await fc.assert(
    fc.asyncProperty(anyRun(), fc.constantFrom('all' as const, 'none' as const), async (run, kind) => {
      fc.pre(run.marked && !run.resets && !isSteered(run) && !isRefused(run))
      const chat = openChat(target, { messages: earlierPage })
      await chat.ask(write(target, run, disturb(run, { kind }, { reasoning: 'text' })))
      const stored = history(committedOf(run), { target }) as unknown as UIMessage[]
      const live = answers(chat.page().messages)
      // A run that showed nothing has a message at the client, and none in the thread.
      expect(live.filter(({ parts }) => parts.length > 0).map(comparable)).toEqual(answers(stored).map(comparable))
    }),
    { seed: 7, numRuns },
  )
})

test.each(TARGETS)('a chat of %s that answered a run has what the history gives', async (target) => {
  await fc.assert(
    fc.asyncProperty(anyResumedRun(), async ({ first, second }) => {
      const runs = [first, second]
      fc.pre(runs.every((run) => run.marked && !run.resets && !isSteered(run) && !isRefused(run)))
      const chat = openChat(target, { messages: earlierPage })
      await chat.ask(write(target, first, disturb(first, { kind: 'all' }, { reasoning: 'text' })))
      const waits = history(committedOf(first), { target }) as unknown as UIMessage[]
      const shown = (): readonly unknown[] =>
        answers(chat.page().messages)
          .filter(({ parts }) => parts.length > 0)
          .map(comparable)
      expect(shown()).toEqual(answers(waits).map(comparable))
      await chat.answer(() => ({ approved: true, output: 'x' }))
      await chat.ask(write(target, second, disturb(second, { kind: 'all' }, { reasoning: 'text' }), first))
      const stored = history(committedOf(first, second), { target }) as unknown as UIMessage[]
      expect(shown()).toEqual(answers(stored).map(comparable))
    }),
    { seed: 8, numRuns },
  )
})
