/**
 * Keeps together what one commit of the producer said, where the stream names its steps after messages: the snapshots that come before
 * a step's end belong to its last commit. Elsewhere everything goes out as it comes.
 */
import { type Commit, isCommit } from '@factwire/core'
import type { Items } from './draft.ts'
import { RUNNING } from './committed.ts'
import type { Lineup } from './lineup.ts'

/** What a commit may say beside messages. */
export type Part = Pick<Commit, 'snapshot' | 'activities'>

export interface Holding {
  say(part: Part, items: Items): void
  /** Holds the last commit back when no call is open after it. */
  hold(items: Items): void
  flush(items: Items): void
  /** Nothing is held back. */
  idle(): boolean
  /** A snapshot that came while a message was complete and not committed goes with its commit. */
  addAside(items: Items): void
}

export function createHolding(lineup: () => Lineup): Holding {
  let held: Commit | undefined
  let aside: Part | undefined

  function addAside(items: Items): void {
    if (!aside) return
    const index = items.findIndex((item) => isCommit(item) && saysMuch(item))
    const commit = items[index]
    if (!commit || !isCommit(commit)) return
    items[index] = { ...commit, ...joined(aside, commit) }
    aside = undefined
  }

  return {
    say(part, items) {
      // The state is told once in a commit.
      if (aside?.snapshot !== undefined && part.snapshot !== undefined) {
        lineup().commitQuiet(items)
        addAside(items)
      }
      const own = lineup().inOwnStep()
      if (own && lineup().drafts()[0]?.quiet()) aside = joined(aside, part)
      else if (own && held) held = { ...held, ...joined(held, part) }
      else items.push({ messages: [], state: RUNNING, ...part })
    },
    hold(items) {
      const last = items.at(-1)
      if (!lineup().inOwnStep() || !last || !isCommit(last) || last.state.type !== 'running') return
      if (last.messages.length === 0 || lineup().calls.any() || lineup().drafts().length > 0) return
      held = last
      items.pop()
    },
    flush(items) {
      if (held) items.push(held)
      held = undefined
    },
    idle: () => held === undefined,
    addAside,
  }
}

const saysMuch = ({ messages, state }: Commit): boolean => messages.length > 0 || state.type !== 'running'

function joined(earlier: Part | undefined, later: Part): Part {
  const activities = [...(earlier?.activities ?? []), ...(later.activities ?? [])]
  return {
    ...(earlier?.snapshot === undefined ? {} : { snapshot: earlier.snapshot }),
    ...(later.snapshot === undefined ? {} : { snapshot: later.snapshot }),
    ...(activities.length > 0 ? { activities } : {}),
  }
}
