/** Neutral events in, the lines of a readable timeline out: in order, neighbouring pieces of one thing on one line. */
import type { AgentEvent, Delta, RunContext } from '@factwire/core'
import type { Colors } from './colors.ts'
import { type Words, describeDelta, describeFact, fragmentOf } from './describe.ts'
import { summary } from './summary.ts'
import { shorten, visible } from './visible.ts'

export interface Look {
  readonly colors: Colors
  /** Longest line, in characters. */
  readonly width: number
}

/** Deltas in a row, one or many; `text` is what they say together. */
interface Row {
  readonly first: Delta
  readonly from: number
  readonly item: string | undefined
  pieces: number
  length: number
  text: string
}

const LABEL = 'activity patch'.length

export async function* timeline(
  events: AsyncIterable<AgentEvent>,
  run: () => Partial<RunContext>,
  look: Look,
): AsyncGenerator<string> {
  const { add, line } = summary()
  let row: Row | undefined
  let count = 0
  for await (const event of events) {
    const number = ++count
    add(event)
    if (event.tier === 'delta') {
      if (row && extend(row, event.event, look.width)) continue
      if (row) yield deltaLine(row, look)
      row = rowOf(event.event, number)
    } else {
      if (row) yield deltaLine(row, look)
      row = undefined
      yield lineOf(String(number), 'fact', describeFact(event.event), '', look)
    }
  }
  if (row) yield deltaLine(row, look)
  yield `\n${line(run(), look.colors)}\n`
}

function rowOf(first: Delta, from: number): Row {
  const fragment = fragmentOf(first)
  const text = fragment?.text ?? ''
  return { first, from, item: fragment?.item, pieces: 1, length: text.length, text }
}

function extend(row: Row, delta: Delta, width: number): boolean {
  const fragment = fragmentOf(delta)
  if (!fragment || delta.type !== row.first.type || fragment.item !== row.item) return false
  row.pieces++
  row.length += fragment.text.length
  // More than fits on the line is counted, not kept.
  if (row.text.length <= width) row.text += fragment.text
  return true
}

function deltaLine({ first, from, pieces, length, text }: Row, look: Look): string {
  if (pieces === 1) return lineOf(String(from), 'delta', describeDelta(first, text), '', look)
  const counts = `  (${pieces} pieces, ${length} chars)`
  return lineOf(`${from}-${from + pieces - 1}`, 'delta', describeDelta(first, text), counts, look)
}

function lineOf(
  range: string,
  tier: AgentEvent['tier'],
  words: Words,
  counts: string,
  { colors, width }: Look,
): string {
  const paint = tier === 'delta' ? colors.dim : words.label === 'run failed' ? colors.red : colors.bold
  const start = `${range.padStart(9)}  ${tier.padEnd(5)}  `
  const about = [words.about, words.detail].filter((text) => text !== undefined && text !== '').join('  ')
  const space = width - start.length - LABEL - 1 - counts.length
  const label = about ? `${words.label.padEnd(LABEL)} ` : words.label
  return `${colors.dim(start)}${paint(label)}${shorten(visible(about), Math.max(space, 10))}${colors.dim(counts)}\n`
}
