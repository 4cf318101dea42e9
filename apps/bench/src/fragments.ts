/** What models stream, in pieces: the same strings on every machine and in every run. */
import { type Random, random } from './random.ts'

const LETTERS = '  eeettaaooinshrdlucmfwypvbgkjqxz'
const ESCAPED = ['"', '\\', '\n', '\t']
const LATIN = ['é', 'ü', 'ñ', 'ß', 'å']
const WIDE = ['日', '本', '語', '“', '—', '🤖', '🚀']

/** Pieces of text, of 1 to 8 characters: 8 % have something to escape, 2 % a Latin-1 letter, 4 % a wider character. */
export function textFragments(count: number, seed: number): string[] {
  const next = random(seed)
  return Array.from({ length: count }, () => {
    const plain = letters(1 + next(8), next)
    const kind = next(100)
    if (kind < 8) return marked(plain, ESCAPED, next)
    if (kind < 10) return marked(plain, LATIN, next)
    return kind < 14 ? marked(plain, WIDE, next) : plain
  })
}

/** The arguments of one call: pieces of 1 to 8 units that join to one JSON document, with quotes all over. */
export function argumentFragments(count: number, seed: number): string[] {
  const next = random(seed)
  const lengths = Array.from({ length: count }, () => 1 + next(8))
  const document = jsonOfLength(
    lengths.reduce((sum, length) => sum + length, 0),
    next,
  )
  let at = 0
  return lengths.map((length) => document.slice(at, (at += length)))
}

/** Text of one length: what a tool gives. */
export function prose(length: number, seed: number): string {
  const next = random(seed)
  const line = textFragments(64, seed).join('')
  const from = next(32)
  return line
    .slice(from)
    .repeat(Math.ceil(length / (line.length - from)))
    .slice(0, length)
}

function letters(length: number, next: Random): string {
  let text = ''
  while (text.length < length) text += LETTERS[next(LETTERS.length)] ?? ''
  return text
}

/** One of the marks in the place of a letter. */
function marked(plain: string, marks: readonly string[], next: Random): string {
  return plain.slice(1) + (marks[next(marks.length)] ?? '')
}

const OPEN = '{"edits":['
const CLOSE = '],"note":"'
const END = '"}'

/** As many records as fit, and a note that fills what is left. */
function jsonOfLength(length: number, next: Random): string {
  let text = OPEN
  const room = length - CLOSE.length - END.length
  for (let comma = ''; ; comma = ',') {
    const record = `${comma}{"line":${next(2000)},"text":${JSON.stringify(`${letters(4 + next(24), next)}"`)}}`
    if (text.length + record.length > room) break
    text += record
  }
  text += CLOSE
  const note = length - text.length - END.length
  if (note < 0) throw new TypeError(`arguments of ${length} units are too short for a document`)
  return text + letters(note, next) + END
}
