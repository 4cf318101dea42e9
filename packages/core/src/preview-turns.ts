/** Which message a delta or a fact belongs to: the turns that have no facts yet, earliest first, and who may be whom. */
import { isEmpty, newTurn, type Turn, wasShown } from './preview-turn.ts'

export interface Turns {
  /** The turns without facts, earliest first. */
  live(): readonly Turn[]
  /** The turn of a delta. Undefined for one that comes too late. */
  ofDelta(messageId: string | undefined): Turn | undefined
  ofStep(messageId: string): Turn | undefined
  /** The turn of a message's first fact: it is live no more, and what stands before it will not come. */
  claim(id: string | undefined): Turn
  /** The live turn of a message without facts, claimed. */
  claimEmpty(messageId: string): Turn | undefined
  /** Whether a turn may be the message of that id: nobody said that it is another, and no other turn is that message. */
  mayBe(turn: Turn, id: string | undefined): boolean
  /** All its facts have come. */
  settled(turn: Turn): void
  /** Gives up the attempt of the front turn: late fragments of it must not open it again. */
  outdate(turn: Turn): void
  /** Forgets the front turn. */
  shift(): void
  /** Another message was committed before all of these. */
  overtake(): void
  clear(): void
}

export function createTurns(settled: Iterable<string>): Turns {
  let live: Turn[] = []
  /** The turn whose facts came last: one that a delta cut short goes on. */
  let latest: Turn | undefined
  /** Ids of messages that nothing live belongs to. */
  const past = new Set(settled)

  function open(id: string | undefined, keyed: boolean): Turn {
    const turn = newTurn(id, keyed)
    live.push(turn)
    return turn
  }

  // Its own function: a closure in `ofDelta` would cost each delta something, also where it is not reached.
  const find = (id: string): Turn | undefined => live.find((turn) => turn.id === id)

  /** What stands before a committed message will not come any more. */
  function takeOut(turn: Turn): void {
    const at = live.indexOf(turn)
    live.slice(0, Math.max(at, 0)).forEach((earlier) => {
      earlier.overtaken = true
    })
    live = live.filter((other) => other !== turn && (!other.overtaken || wasShown(other)))
  }

  return {
    live: () => live,

    ofDelta(messageId) {
      const last = live[live.length - 1]
      if (messageId === undefined) return last ?? open(undefined, false)
      if (last?.id === messageId && last.keyed) return last
      const known = find(messageId)
      if (known) {
        known.keyed = true
        return known
      }
      if (past.has(messageId)) return undefined
      if (last && !last.keyed) {
        last.id = messageId
        last.keyed = true
        return last
      }
      return open(messageId, true)
    },

    ofStep(messageId) {
      if (past.has(messageId)) return undefined
      const known = find(messageId)
      if (known) return known
      const last = live.at(-1)
      if (!last || last.id !== undefined || !isEmpty(last)) return open(messageId, false)
      last.id = messageId
      return last
    },

    claim(id) {
      const front = live[0]
      const known =
        (id === undefined ? undefined : [latest, ...live].find((candidate) => candidate?.id === id)) ??
        (front && (!front.keyed || id === undefined) ? front : undefined)
      if (known) takeOut(known)
      return known ?? newTurn(id, true)
    },

    claimEmpty(messageId) {
      if (past.has(messageId)) return undefined
      const front = live[0]
      const turn = find(messageId) ?? (front && !front.keyed ? front : undefined)
      if (!turn) return undefined
      takeOut(turn)
      turn.id = messageId
      turn.keyed = true
      return turn
    },

    mayBe({ id, keyed }, said) {
      if (said === undefined || id === said) return true
      return !(keyed && id !== undefined) && !find(said)
    },

    settled(turn) {
      latest = turn
      if (turn.id !== undefined) past.add(turn.id)
    },

    outdate({ keyed, id }) {
      if (keyed && id !== undefined) past.add(id)
    },

    shift() {
      live.shift()
    },

    overtake() {
      live = live.filter((turn) => !turn.overtaken)
      for (const turn of live) turn.overtaken = true
    },

    clear() {
      live = []
    },
  }
}
