/** The same deltas on every machine and in every run. */
import type { Delta } from '@factwire/core'

const WORDS = [
  'the',
  ' run',
  ' ended',
  ',',
  ' and',
  ' "so"',
  ' did',
  '\n',
  ' I',
  ' naïve',
  ' 日本',
  ' 🤖',
  ' to',
  'ken',
  's',
  '.',
]

/** Text deltas of one message: short, with some escapes and some wide characters. */
export function textDeltas(count: number, messageId: string): Delta[] {
  const next = random(7)
  let offset = 0
  return Array.from({ length: count }, () => {
    const delta = WORDS[next() % WORDS.length] ?? ''
    const event: Delta = { type: 'text_delta', delta, message_id: messageId, offset }
    offset += delta.length
    return event
  })
}

/** A small linear congruential generator: good enough to mix, and the same everywhere. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 8
  }
}
