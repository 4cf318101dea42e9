/**
 * What a writer still holds in the course of a long run: heap bytes after each tenth of it, collected. Arguments: a wire, how
 * many deltas, and how many of them make one message. In place of a wire `texts`: what is held by whoever keeps what was said.
 */
import { deltaEvent, factEvent, writer } from '@factwire/core'
import { textFragments } from '../fragments.ts'
import { findWires, isWritable } from '../wires.ts'

const TEXTS = 'texts'
const [name, ...numbers] = process.argv.slice(2)
const [count = 0, length = 0] = numbers.map(Number)
const wire = (await findWires()).filter(isWritable).find((found) => found.name === (name === TEXTS ? 'sse' : name))
if (!wire) throw new TypeError(`no wire '${name}'`)
const texts: string[] = []
const { gc } = globalThis
if (!gc) throw new TypeError('run this with --expose-gc')

const fragments = textFragments(1000, 6)
const { push } = writer(wire, { threadId: 'thread-1', runId: 'run-1' })
const held: number[] = []
let size = push(factEvent({ type: 'run_started' })).length
let text = ''
let message_id = ''
for (let at = 0; at < count; at++) {
  if (at % length === 0) message_id = `message-${at / length}`
  const delta = fragments[at % fragments.length] ?? ''
  size += push(deltaEvent({ type: 'text_delta', delta, message_id, offset: text.length })).length
  text += delta
  if ((at + 1) % length === 0) {
    size += push(factEvent({ type: 'assistant_message', id: message_id, content: [{ type: 'text', text }] })).length
    size += push(factEvent({ type: 'step_ended', message_id })).length
    if (name === TEXTS) texts.push(text)
    text = ''
  }
  if ((at + 1) % (count / 10) !== 0) continue
  gc()
  held.push(process.memoryUsage().heapUsed)
}
if (size < count) throw new Error('the writer gave next to nothing')
console.log(JSON.stringify(held))
