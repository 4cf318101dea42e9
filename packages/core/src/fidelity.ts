/**
 * What becomes of every fact on a wire, as data: it comes back exactly, it loses something, or the wire has no place for it.
 *
 * Total by the compiler: a new fact does not compile until every protocol says what becomes of it.
 */
import type { Fact } from './event.ts'

export type Fate =
  | { readonly kept: 'exact' }
  /** A reader gets the fact without `loses`. */
  | { readonly kept: 'lossy'; readonly loses: string; readonly harmless?: true }
  /** `why`, where it is not plain that the wire has nothing for it. */
  | { readonly kept: 'dropped'; readonly why?: string; readonly harmless?: true }

/** A fate that depends on the fact's fields: the first case that holds. */
export interface Depends<F extends Fact> {
  readonly cases: readonly FidelityCase<F>[]
  readonly otherwise: Fate
}

export interface FidelityCase<F extends Fact> {
  /** Completes the sentence "when …". */
  readonly when: string
  readonly fate: Fate
  holds(fact: F): boolean
}

export type Fidelity = {
  readonly [Type in Fact['type']]: Fate | Depends<Extract<Fact, { readonly type: Type }>>
}

/** A fact that a wire did not carry whole. */
export interface Loss {
  readonly fact: Fact
  readonly fate: Exclude<Fate, { readonly kept: 'exact' }>
}

export const exact: Fate = { kept: 'exact' }
export const lossy = (loses: string): Fate => ({ kept: 'lossy', loses })
export const dropped = (why?: string): Fate => ({ kept: 'dropped', ...(why === undefined ? {} : { why }) })

/** A loss that nobody could miss, such as the mark that a message without content is over: a strict stream bears it. */
export const harmless = (fate: Fate): Fate => (fate.kept === 'exact' ? fate : { ...fate, harmless: true })

/** The fate of one fact. */
export function fateOf(fidelity: Fidelity, fact: Fact): Fate {
  // Entry and fact have the same type by their key, which the compiler cannot follow through an index.
  const entry = fidelity[fact.type] as Fate | Depends<Fact>
  if ('kept' in entry) return entry
  return entry.cases.find((candidate) => candidate.holds(fact))?.fate ?? entry.otherwise
}

/** What is lost of a fact; undefined where nothing is. */
export function lossOf(fidelity: Fidelity, fact: Fact): Loss | undefined {
  const fate = fateOf(fidelity, fact)
  return fate.kept === 'exact' ? undefined : { fact, fate }
}
