/** Whoever joins in the middle, or comes back, ends with the view of those who were there all the time. */
import type { AgentEvent, Joined } from '@factwire/core'
import { checkGrammar } from '@factwire/core'
import fc from 'fast-check'
import { contextOf, encode, type Encoded } from '../encode.ts'
import { demandGrammar } from '../check-frames.ts'
import { joinedOf, positionIn } from '../join.ts'
import { type Law, LawBroken, RECONCILIATION, demandAccepted, demandSame } from '../law.ts'
import { tellRun } from '../report.ts'
import { type LiveRun, anyRun } from '../run.ts'
import { units } from '../stream.ts'
import { callsShareIds, callsTaken, idsAreUnique } from '../situation.ts'
import type { Subject } from '../subject.ts'

interface Join {
  readonly run: LiveRun
  /** Where in the script, in thousandths. */
  readonly at: number
  /** What the client had seen before: nothing, or the live stream up to some frame. */
  readonly returns: boolean
  /** How much of what was written by then had not reached it, in thousandths of the frames. */
  readonly lag: number
}

export const join: Law<Join> = {
  name: 'join',
  says: 'A client that joins anywhere, fresh or back again, or goes on from a legal resume point, ends with the same view.',
  samples: (subject) =>
    fc.record({
      run: fc.oneof({ weight: 4, arbitrary: anyRun() }, { weight: 1, arbitrary: anyRun({ repeats: 'everywhere' }) }),
      // Who joins at the end, or while the run waits, gets all from the opening.
      at: fc.oneof(
        { weight: 5, arbitrary: fc.integer({ min: 0, max: 1000 }) },
        { weight: 1, arbitrary: fc.constant(1000) },
      ),
      // Who comes back to another kind of wire gets what it missed, not the whole again.
      returns: subject.protocol.resume === 'replay' ? fc.boolean() : fc.constant(false),
      lag: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 1000 }), fc.integer({ min: 0, max: 300 })),
    }),
  async check(subject, { run, at, returns, lag }) {
    const context = contextOf(subject, run)
    const position = positionIn(run, at)
    const script = units(run)
    const [before, after] = [script.slice(0, position).flat(), script.slice(position).flat()]
    const facts = encode(
      subject,
      run,
      script.flat().filter(({ tier }) => tier === 'fact'),
    ).body
    const had = returns ? withoutLast(encode(subject, run, before, { unclosed: true }).texts, lag) : undefined
    const join = joinedOf(subject, run, position)
    const { frames, body } = encode(subject, run, after, { join })
    demandGrammar(subject, frames, body)
    const truth = await subject.view(facts, { run, context })
    const view = await subject.view(body, { run, context, ...(had === undefined ? {} : { had }) })
    demandAccepted(view, 'joined', body)
    const streams = { facts, ...(had === undefined ? {} : { had }), joined: body }
    const takesBack = run.resets || callsTaken(run).size > 0
    if (view.code === RECONCILIATION && subject.repairs === false && (!run.marked || takesBack || callsShareIds(run)))
      return 'failed'
    // What was given up keeps its id where nothing can be taken back.
    const named = run.marked && idsAreUnique(run) && (subject.repairs !== false || !run.resets)
    demandSame(truth, view, { ids: named, reasoning: false, more: true }, streams)
    // Where nothing can be taken back, who was there all the time still sees what was given up, and waits where an id comes again.
    const alike = subject.repairs !== false || (!takesBack && idsAreUnique(run))
    if (!returns && alike) await demandOpening(subject, run, join, before)
    if (subject.protocol.resume === 'tail' && idsAreUnique(run)) await demandTail(subject, run, position)
    return 'held'
  },
  tell: (_subject, { run, at, returns, lag }) => [
    ...tellRun(run, { kind: 'all' }, false),
    `joins before item ${positionIn(run, at)}, ${returns ? `with what it had seen, but for the last ${lag} thousandths` : 'fresh'}`,
  ],
}

const withoutLast = (texts: readonly string[], lag: number): string =>
  texts.slice(0, texts.length - Math.floor((texts.length * lag) / 1000)).join('')

/** Right after its opening it shows what those see who were there all the time. */
async function demandOpening<Frame>(
  subject: Subject<Frame>,
  run: LiveRun,
  join: Joined,
  before: readonly AgentEvent[],
): Promise<void> {
  const stage = { run, context: contextOf(subject, run) }
  const live = encode(subject, run, before, { unclosed: true }).body
  const opening = encode(subject, run, [], { join, unclosed: true }).body
  const expected = await subject.view(live, stage)
  const view = await subject.view(opening, stage)
  // Some clients give nothing of a stream that has not come to its end.
  if (expected.rejected !== undefined || view.rejected !== undefined) return
  demandSame(expected, view, { ids: run.marked && idsAreUnique(run), reasoning: false, more: true }, { live, opening })
}

/** From a legal resume point, the facts after it are enough. */
async function demandTail<Frame>(subject: Subject<Frame>, run: LiveRun, position: number): Promise<void> {
  const { grammar } = subject.protocol
  if (!run.marked) return
  const script = units(run)
  const live = encode(subject, run, script.slice(0, position).flat(), { unclosed: true })
  const check = checkGrammar(grammar)
  for (const frame of live.frames) check.push(frame)
  const last = live.pieces.findLast((piece) => piece.text !== '' && piece.seq !== undefined)
  if (!check.atRest() || last?.seq === undefined) return
  const tail = tailAfter(subject, run, script.flat(), last.seq)
  const context = contextOf(subject, run)
  const facts = encode(
    subject,
    run,
    script.flat().filter(({ tier }) => tier === 'fact'),
  ).body
  const truth = await subject.view(facts, { run, context })
  const view = await subject.view(tail, { run, context, had: live.body })
  const streams = { facts, had: live.body, tail }
  if (view.rejected !== undefined) throw new LawBroken(`after a resume point: ${view.rejected}`, { streams })
  demandSame(truth, view, { ids: true, reasoning: false, more: true }, streams)
}

/** The stream of the facts alone, from after a number of the live stream. */
function tailAfter<Frame>(subject: Subject<Frame>, run: LiveRun, events: readonly AgentEvent[], seq: number): string {
  const numbers = events.flatMap(({ tier }, number) => (tier === 'fact' ? [number] : []))
  const whole: Encoded<Frame> = encode(
    subject,
    run,
    events.filter(({ tier }) => tier === 'fact'),
  )
  // The pieces are numbered among the facts; the numbers that count are those of the run.
  return whole.pieces
    .filter((piece) => piece.seq === undefined || (numbers[piece.seq] ?? 0) > seq)
    .map((piece) => piece.text)
    .join('')
}
