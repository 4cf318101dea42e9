/** The numbers of a stream's events. */

export interface Counter {
  /** The number of the event that was counted last. */
  readonly last: number
  /** Counts an event; `fragment` is what it adds to a text. Gives its number. */
  count(fragment?: string): number
}

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
  }
}
