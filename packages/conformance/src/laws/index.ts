/** The laws, in their order. */
import type { Law } from '../law.ts'
import { cutAnywhere } from './cut-anywhere.ts'
import { grammarHolds } from './grammar-holds.ts'
import { join } from './join.ts'
import { oneEnd } from './one-end.ts'
import { replay } from './replay.ts'
import { roundTrip } from './round-trip.ts'
import { sameInPieces } from './same-in-pieces.ts'
import { seenAtOnce } from './seen-at-once.ts'
import { showsTheTruth } from './shows-the-truth.ts'
import { total } from './total.ts'
import { truthWins } from './truth-wins.ts'
import { wellFormed } from './well-formed.ts'

/** Each takes its own kind of sample, which only it looks into. */
export const laws: readonly Law[] = [
  total,
  showsTheTruth,
  truthWins,
  seenAtOnce,
  wellFormed,
  oneEnd,
  sameInPieces,
  roundTrip,
  replay,
  join,
  cutAnywhere,
  grammarHolds,
].map((law) => law as unknown as Law)
