/** The numbers of a stream's events. */

export interface Counter {
  /** The number of the event that was counted last. */
  readonly last: number
  /** Counts an event; `fragment` is what it adds to a text. Gives its number. */
  count(fragment?: string): number
  /** Room for a text that may be longer in a stream that is told again. */
  reserve(): Room
  /** What follows stands elsewhere in a stream that is told again, and has numbers that this one never has. */
  leap(): void
}

/** Called behind the text: what follows has the same numbers, however long it is. `ends`: so many events of it are still to come. */
export type Room = (ends?: number) => void

/** More than is thought at once, nearly always. */
const ROOM = 2 ** 18
/** Numbers from here on stand in no other stream. Some clients count to twice as much. */
export const ELSEWHERE: number = 2 ** 30

/**
 * From 0, one for each event. `said`: a fragment counts as much as it is long. Then the same text has the same numbers however it was
 * cut, so that a number that a client has from the live stream means the same place in one that is told again.
 */
export function createCounter(said: boolean): Counter {
  let last = -1
  return {
    get last() {
      return last
    },
    count(fragment) {
      last += said && fragment !== undefined ? fragment.length : 1
      return last
    },
    reserve() {
      const from = last
      return (ends = 0) => {
        if (said && last < ELSEWHERE) last = from + ROOM * Math.max(1, Math.ceil((last - from + ends) / ROOM)) - ends
      }
    },
    leap() {
      if (said) last = Math.max(last, ELSEWHERE)
    },
  }
}
