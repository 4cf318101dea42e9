/**
 * Reads the messages of one stream as frames. Nearly all of them differ from the one before in a fragment alone: those are not parsed
 * again, but are the frame before with another fragment.
 */
import { hasAt } from './has-at.ts'
import type { FragmentPath, Framing, WireMessage } from './protocol.ts'

/** Text of a message, cut at what may differ: the fragment, and the values that say nothing. */
interface Pattern<Frame> {
  readonly event: string | undefined
  /** What stands around the gaps, one more than there are. */
  readonly around: readonly string[]
  /** Which gap is the fragment's. */
  readonly at: number
  readonly piece: Piece<Frame>
  /**
   * A second message fitted, and brought another fragment from that very gap. So the fragment stands in no other place: what is around
   * the gaps was the same both times, and would have said the same.
   */
  readonly proven: boolean
}

/** A frame that brings a fragment. */
interface Piece<Frame> {
  readonly frame: Frame
  readonly path: FragmentPath
  readonly fragment: string
}

/** As `framing.parse`, for the messages of one stream in their order. What a frame says of `noise` may be an earlier one's. */
export function frameReader<Frame>(framing: Framing<Frame>): (message: WireMessage) => Frame | undefined {
  const { fragments = [], noise = [] } = framing
  let pattern: Pattern<Frame> | undefined

  return (message) => {
    const fragment = pattern && fragmentIn(message, pattern)
    if (pattern?.proven && fragment !== undefined) {
      const { frame, path } = pattern.piece
      return replaced(frame, path, fragment) as Frame
    }
    const frame = framing.parse(message)
    const piece = pieceIn(frame, fragments)
    if (!piece) return frame
    const fits = fragment === piece.fragment && fragment !== pattern?.piece.fragment
    pattern = pattern && fits ? { ...pattern, piece, proven: true } : patternOf(message, piece, noise)
    return frame
  }
}

function pieceIn<Frame>(frame: Frame | undefined, paths: readonly FragmentPath[]): Piece<Frame> | undefined {
  if (frame === undefined) return undefined
  for (const path of paths) {
    let value: unknown = frame
    for (const key of path) value = isHolder(value) ? value[key] : undefined
    if (typeof value === 'string' && value !== '') return { frame, path, fragment: value }
  }
  return undefined
}

/** A copy of what holds the fragment, and of what holds that. */
function replaced(value: unknown, path: FragmentPath, fragment: string, depth = 0): unknown {
  const key = path[depth]
  if (key === undefined || !isHolder(value)) return fragment
  const inner = replaced(value[key], path, fragment, depth + 1)
  return Array.isArray(value) ? value.with(Number(key), inner) : { ...value, [key]: inner }
}

const isHolder = (value: unknown): value is { readonly [key: string | number]: unknown } =>
  typeof value === 'object' && value !== null

/** Longer messages are left to the parser, which has a limit. */
const LONGEST = 1024 * 1024

function patternOf<Frame>(
  { data, event, stray, cut }: WireMessage,
  piece: Piece<Frame>,
  noise: readonly string[],
): Pattern<Frame> | undefined {
  const from = data.lastIndexOf(`"${piece.fragment}"`) + 1
  if (from === 0 || stray || cut) return undefined
  const own = { from, to: from + piece.fragment.length }
  const gaps = [own, ...noise.flatMap((name) => gapOf(data, name))].toSorted((one, other) => one.from - other.from)
  const around = gaps.map(({ from: next }, index) => data.slice(gaps[index - 1]?.to ?? 0, next))
  return { event, around: [...around, data.slice(gaps.at(-1)?.to)], at: gaps.indexOf(own), piece, proven: false }
}

interface Gap {
  readonly from: number
  readonly to: number
}

/** The value of a member, a string or a whole number. */
function gapOf(data: string, name: string): readonly Gap[] {
  const key = `"${name}":`
  let begin = data.indexOf(key)
  // The end of a longer name.
  while (begin > 0 && data.charCodeAt(begin - 1) === BACKSLASH) begin = data.indexOf(key, begin + 1)
  if (begin < 0) return []
  let from = begin + key.length
  while (data[from] === ' ') from++
  if (data[from] === '"') from++
  const gap = { from, to: endOf(data, from) }
  return isPlain(data, gap) ? [gap] : []
}

/** Of what is not looked at the parser has no say: it is what JSON has between quotes, or as a number. */
function isPlain(data: string, { from, to }: Gap): boolean {
  const value = data.slice(from, to)
  return data.charCodeAt(from - 1) === QUOTE ? !NOT_PLAIN.test(value) : WHOLE.test(value)
}

/** The fragment, where the message fits. */
function fragmentIn<Frame>({ data, event, stray, cut }: WireMessage, pattern: Pattern<Frame>): string | undefined {
  const { around, at } = pattern
  if (event !== pattern.event || stray || cut || data.length > LONGEST) return undefined
  const last = around.length - 1
  let fragment = ''
  let from = 0
  for (let index = 0; index < last; index++) {
    const before = around[index] ?? ''
    if (!hasAt(data, before, from)) return undefined
    from += before.length
    const to = endOf(data, from)
    if (index === at) fragment = data.slice(from, to)
    else if (!isPlain(data, { from, to })) return undefined
    from = to
  }
  const after = around[last] ?? ''
  if (from + after.length !== data.length || !hasAt(data, after, from)) return undefined
  return NOT_PLAIN.test(fragment) ? unescaped(fragment) : fragment
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const WHOLE = /^(?:0|[1-9]\d*)$/
const NOT_PLAIN = /[\\\u0000-\u001f]/

/** Where a value ends that began before: a string behind its quote, or a whole number. */
function endOf(data: string, from: number): number {
  if (data.charCodeAt(from - 1) !== QUOTE) {
    let to = from
    while (isDigit(data.charCodeAt(to))) to++
    return to
  }
  for (let to = data.indexOf('"', from); to >= 0; to = data.indexOf('"', to + 1)) {
    let first = to
    while (first > from && data.charCodeAt(first - 1) === BACKSLASH) first--
    if ((to - first) % 2 === 0) return to
  }
  return data.length
}

const isDigit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39

/** Undefined for what is no JSON, which the parser is to refuse. */
function unescaped(fragment: string): string | undefined {
  try {
    return JSON.parse(`"${fragment}"`) as string
  } catch {
    return undefined
  }
}
