/** What the demo prints: a heading for each act, and under it what happened beside what went over the wire because of it. */
import { styleText } from 'node:util'
import type { AgentEvent } from '@factwire/core'

export interface Screen {
  heading(title: string, explanation: string): void
  /** One event, the frames that it became, and how often it came through to them. */
  event(event: AgentEvent, frames: string, copies: number): void
  line(text?: string): void
  /** One thing that must be the same on both sides; gives whether it is. */
  comparison(what: string, committed: string, seen: string): boolean
  verdict(good: boolean, text: string): void
}

export interface ScreenOptions {
  readonly write: (text: string) => void
  readonly color: boolean
  readonly columns?: number
}

const NARROWEST = 100
const WIDEST = 119
const LEFT = 44
/** Between two columns. */
const GAP = 3
const WHAT = 8

type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow'

export function screen({ write, color, columns = WIDEST }: ScreenOptions): Screen {
  const width = Math.min(Math.max(columns, NARROWEST), WIDEST)
  const half = Math.floor((width - WHAT - 1 - GAP) / 2)
  const paint = (style: Style, text: string): string => (color ? styleText(style, text) : text)
  const line = (text = ''): void => write(`${text.trimEnd()}\n`)
  const row = (left: string, right: string, style?: Style): void => {
    const padded = fit(left, LEFT).padEnd(LEFT)
    line(`${style ? paint(style, padded) : padded} ${paint('dim', '│')} ${fit(right, width - LEFT - GAP)}`)
  }

  return {
    heading(title, explanation) {
      line()
      line(paint('bold', title))
      line(explanation)
      line()
      row('      neutral event', ' id  data', 'dim')
    },
    event(event, frames, copies) {
      const [first = '', ...others] = frames.split('\n\n').filter(Boolean).map(frameText)
      const style = copies !== 1 ? 'yellow' : event.tier === 'fact' ? 'bold' : undefined
      row(`${(FATES.get(copies) ?? event.tier).padEnd(5)} ${eventText(event)}`, first, style)
      for (const frame of others) row('', frame)
    },
    line,
    comparison(what, committed, seen) {
      const same = committed === seen
      const sign = same ? paint('green', '=') : paint('red', '≠')
      line(`${paint('dim', what.padEnd(WHAT))} ${fit(committed, half).padEnd(half)} ${sign} ${fit(seen, half)}`)
      return same
    },
    verdict(good, text) {
      line()
      line(good ? paint('green', `✓ ${text}`) : paint('red', `✗ ${text}`))
    },
  }
}

/** What became of a delta that did not come through once. */
const FATES = new Map([
  [0, 'lost'],
  [2, 'twice'],
])

/** The type and the values, without what is the same on every row. */
function eventText({ event }: AgentEvent): string {
  const { type, ...fields } = event
  const values = Object.entries(fields).filter(([key]) => !['message_id', 'offset', 'name'].includes(key))
  return [type, ...values.map(([, value]) => JSON.stringify(value))].join(' ')
}

function frameText(frame: string): string {
  const [, id = '', data = ''] = /^(?:id: (\d+)\n)?data: (.*)$/.exec(frame) ?? []
  return `${id.padStart(3)}  ${data}`
}

/** Keeps a row on one line. All characters of the demo are one column wide. */
function fit(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`
}
