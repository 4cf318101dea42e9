/** The protocol as the kit judges it: with the official client of each major. */
import type { ClientView, LiveRun, Seen, SeenCall, SeenResult, Subject } from '@factwire/conformance'
import { type Commit, exact, fateOf, type Fidelity, type Json, lossy, type TokenUsage } from '@factwire/core'
import { aiSdk, type AiSdkOptions } from '../src/index.ts'
import { createGrammar } from '../src/grammar.ts'
import { type Target, type UiFrame, USAGE_NAMES } from '../src/wire.ts'
import { contextWithHistory, glimpsing, viewer } from './view.ts'

const CLIENTS: Readonly<Record<Target, string>> = { v5: 'ai 5.0.277', v6: 'ai 6.0.326', v7: 'ai 7.0.173' }

export const subjectOf = (target: Target = 'v6'): Subject<UiFrame, AiSdkOptions> => ({
  protocol: { ...aiSdk, grammar: createGrammar(target), ...(target === 'v5' ? { fidelity: oldestFidelity } : {}) },
  label: `ai-sdk, read by ${CLIENTS[target]}`,
  options: { target },
  // Only a client of v7 takes a step back.
  repairs: target === 'v7',
  context: contextWithHistory,
  view: viewer(target),
  glimpse: glimpsing(target),
  shows: shownTo(target),
})

/** A stream for v5 says nothing of approvals but whom it waits for, and has nothing beside an output. */
const oldestFidelity: Fidelity = {
  ...aiSdk.fidelity,
  tool_call: {
    cases: [
      {
        when: 'it waits for an approval',
        holds: ({ disposition }) => disposition === 'pending_builtin',
        fate: lossy('that'),
      },
      { when: 'all of it arrives', holds: (fact) => fateOf(aiSdk.fidelity, fact).kept === 'exact', fate: exact },
    ],
    otherwise: lossy('how its arguments were written'),
  },
  tool_result: lossy('all but its text, or its value'),
}

function shownTo(target: Target) {
  return (truth: Seen, run: LiveRun): Seen & Pick<ClientView, 'more'> => {
    const commits = commitsOf(run)
    const last = commits.at(-1)
    const model = commits.findLast(({ inference }) => inference)?.inference?.model
    return heldBy({
      ...truth,
      // Parts of a UI message do not say which stored message they are of.
      turns: truth.turns.map(({ text, reasoning, calls }) => ({
        text,
        ...(reasoning === undefined ? {} : { reasoning }),
        calls: calls.map(({ unparsed, result, ...call }) => ({
          ...call,
          ...unparsedShown(unparsed, result, target),
          ...(result ? { result: resultShown(result, target) } : {}),
        })),
      })),
      more: {
        id: 'answer-to-user-2',
        earlier: 3,
        usage: usageOf(commits),
        ...(model === undefined ? {} : { model }),
        ...(truth.status === 'finished' && last?.state.type === 'ended'
          ? { cause: last.state.cause, ...(last.result === undefined ? {} : { result: last.result }) }
          : {}),
      },
    })
  }
}

/** Before v7 a client forgets the text once such a call has an output after all, as where calls share an id. */
function unparsedShown(text: string | undefined, result: SeenResult | undefined, target: Target): Partial<SeenCall> {
  if (text === undefined) return {}
  if (target === 'v7') return { arguments: text }
  return result && !result.is_error ? {} : { unparsed: text }
}

/** A client takes no key that leads to a prototype. */
function heldBy<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value), (key, inner: unknown) => (key === '__proto__' ? undefined : inner)) as Value
}

const commitsOf = ({ script }: LiveRun): Commit[] => script.flatMap((item) => ('commit' in item ? [item.commit] : []))

/** v5 has nothing beside an output, and v6 no word for why something was denied. */
function resultShown(result: SeenResult, target: Target): SeenResult {
  const { text, is_error, denied, data } = result
  if (target === 'v7') return result
  if (target === 'v6') return denied ? { text: '', is_error: true, denied } : result
  if (is_error) return { text, is_error }
  if (data === undefined) return { text }
  return typeof data === 'string' ? { text: data } : { text: JSON.stringify(heldBy(data)), data }
}

function usageOf(commits: readonly Commit[]): Json | undefined {
  const usages = commits.flatMap(({ inference }) => inference?.usage ?? [])
  const sums = Object.entries(USAGE_NAMES).flatMap(([from, to]): [string, number][] => {
    const counts = usages.flatMap((usage) => usage[from as keyof TokenUsage] ?? [])
    return counts.length > 0 ? [[to, counts.reduce((sum, count) => sum + count, 0)]] : []
  })
  return sums.length > 0 ? Object.fromEntries(sums) : undefined
}

/** With each of its clients, for who finds wires by folder. @public */
export const subjects = (['v6', 'v7', 'v5'] as const).map(subjectOf)
