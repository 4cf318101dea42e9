/** What the demo prints: each event of a run beside the frames that it became, and what each client read back. */
import { styleText } from 'node:util'
import type { Comparison } from './outcome.ts'
import type { Moment } from './run.ts'

export interface Screen {
  heading(title: string, explanation: string): void
  /** A row for each event, with a column for each wire. */
  run(wires: readonly string[], moments: readonly Moment[]): void
  /** What was committed, what each client has of it, and how each learnt of the ending. */
  table(clients: readonly string[], comparisons: readonly Comparison[], told: readonly string[]): void
  line(text?: string): void
  verdict(good: boolean, text: string): void
}

export interface ScreenOptions {
  readonly write: (text: string) => void
  readonly color: boolean
}

const WIDTH = 100
const WHAT = 8
/** Before what a client has: a gap, whether it agrees, a space. */
const SIGN = 4
const SEEN = 21

type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow'

export function screen({ write, color }: ScreenOptions): Screen {
  const paint = (style: Style, text: string): string => (color ? styleText(style, text) : text)
  const line = (text = ''): void => write(`${text.trimEnd()}\n`)
  const bar = paint('dim', ' │ ')

  return {
    heading(title, explanation) {
      line()
      line(paint('bold', title))
      line(explanation)
      line()
    },

    run(wires, moments) {
      const rows = moments.map((moment) => ({ moment, frames: wires.map((wire) => moment.frames.get(wire) ?? []) }))
      const widths = wires.map((wire, at) =>
        Math.max(wire.length, ...rows.flatMap(({ frames }) => (frames[at] ?? []).map(({ length }) => length))),
      )
      const left = WIDTH - widths.reduce((sum, each) => sum + each + 3, 0)
      const row = (event: string, style: Style | undefined, frames: readonly string[]): void => {
        const cell = fit(event, left)
        const cells = widths.map((each, at) => fit(frames[at] ?? '', each))
        line([style ? paint(style, cell) : cell, ...cells].join(bar))
      }

      row('      neutral event', 'dim', wires)
      for (const { moment, frames } of rows) {
        const height = Math.max(1, ...frames.map(({ length }) => length))
        for (let at = 0; at < height; at++) {
          const event = at === 0 ? eventText(moment) : ''
          row(
            event,
            styleOf(moment),
            frames.map((each) => each[at] ?? ''),
          )
        }
      }
    },

    table(clients, comparisons, told) {
      const truth = WIDTH - WHAT - 1 - clients.length * (SIGN + SEEN)
      const row = (what: string, committed: string, seen: readonly string[]): void =>
        line([paint('dim', fit(what, WHAT)), fit(committed, truth), ...seen].join(' '))
      const plain = (cells: readonly string[]): string[] => cells.map((cell) => `   ${fit(cell, SEEN)}`)

      line()
      row('', 'committed', plain(clients))
      for (const { what, committed, seen } of comparisons) {
        const cells = seen.map((each) => {
          const sign = each === undefined ? ' ' : each === committed ? paint('green', '=') : paint('red', '≠')
          return ` ${sign} ${fit(each ?? '–', SEEN)}`
        })
        row(what, committed, cells)
      }
      row('told by', '', plain(told))
    },

    line,

    verdict(good, text) {
      line(good ? paint('green', `✓ ${text}`) : paint('red', `✗ ${text}`))
    },
  }
}

/** What became of a delta that did not come through once. */
const FATES = new Map([
  [0, 'lost'],
  [2, 'twice'],
])

function styleOf({ event, copies }: Moment): Style | undefined {
  if (copies !== 1) return 'yellow'
  return event.tier === 'fact' ? 'bold' : undefined
}

/** The type and the values, without what is the same on every row. */
function eventText({ event: { tier, event }, copies }: Moment): string {
  const { type, ...fields } = event
  const values = Object.entries(fields).filter(([key]) => !['message_id', 'offset', 'name'].includes(key))
  return [(FATES.get(copies) ?? tier).padEnd(5), type, ...values.map(([, value]) => JSON.stringify(value))].join(' ')
}

/** Exactly so wide. All characters of the demo are one column wide. */
function fit(text: string, width: number): string {
  return text.length <= width ? text.padEnd(width) : `${text.slice(0, width - 1)}…`
}
