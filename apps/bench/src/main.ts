/**
 * What a text delta costs on each wire, against the least that any code could do: prefix + escaped text + suffix.
 *
 * Every contender's output is compared first: a fast wrong answer is an error.
 */
import { type Delta, type Encodable, deltaEvent, factEvent, quote, type RunContext, writer } from '@factwire/core'
import { type Contender, measure } from './measure.ts'
import { encoders } from './wires.ts'
import { textDeltas } from './workload.ts'

const run: RunContext = { threadId: 'thread', runId: 'run' }
const MESSAGE = 'run-assistant-0'
const DELTAS = 20_000
const ROUNDS = 9
const LENGTHS = [12_500, 25_000, 50_000, 100_000]

for (const wire of await encoders()) {
  console.log(
    `\n${wire.name}: one text delta, neutral event to the text of its frame, ${DELTAS} deltas, ${ROUNDS} rounds`,
  )
  const deltas = textDeltas(DELTAS, MESSAGE)
  const contenders = [limit(wire, deltas), ours(wire, deltas)]
  const outputs = contenders.map((contender) => contender.run())
  if (outputs[0] !== outputs[1]) throw new Error(`${wire.name}: the limit and ours write different bytes`)

  const [least, own] = measure(contenders, ROUNDS)
  if (!least || !own) throw new Error('nothing was measured')
  for (const { name, median, lowest, highest } of [least, own]) {
    const [middle, low, high] = [median, lowest, highest].map((time) => Math.round(time / DELTAS))
    const ratio = (median / least.median).toFixed(2)
    console.log(`  ${name.padEnd(24)}${`${middle} ns`.padStart(8)}  (${low} to ${high})   ${ratio} x`)
  }

  const times = LENGTHS.map((length) => {
    const [timing] = measure([ours(wire, textDeltas(length, MESSAGE))], ROUNDS)
    return timing?.lowest ?? 0
  })
  const perDelta = times.map((time, index) => `${Math.round(time / (LENGTHS[index] ?? 1))}`).join(', ')
  console.log(`  per delta at ${LENGTHS.join(', ')}: ${perDelta} ns`)
  console.log(
    `  exponent of growth over the last doubling: ${Math.log2((times.at(-1) ?? 0) / (times.at(-2) ?? 1)).toFixed(2)}`,
  )
}

function ours(wire: Encodable<unknown>, deltas: readonly Delta[]): Contender {
  const events = deltas.map(deltaEvent)
  return {
    name: 'factwire',
    run() {
      const { push } = writer(wire, run)
      let size = push(factEvent({ type: 'run_started' })).length
      let text = ''
      for (const event of events) {
        text = push(event)
        size += text.charCodeAt(text.length - 1)
      }
      return `${size} ${text}`
    },
  }
}

/** The same frames by hand. What stands around the delta and the number is read off the wire once. */
function limit(wire: Encodable<unknown>, deltas: readonly Delta[]): Contender {
  const { push } = writer(wire, run, { seq: 1_000_000 })
  const first = push(factEvent({ type: 'run_started' })).replace('1000000', '0').length
  push(deltaEvent({ type: 'text_delta', delta: 'OPENING', message_id: MESSAGE, offset: 0 }))
  const frame = push(deltaEvent({ type: 'text_delta', delta: 'SENTINEL', message_id: MESSAGE, offset: 7 }))
  const [prefix = '', rest = ''] = frame.split('1000002')
  const [middle = '', suffix = ''] = (rest || frame).split('"SENTINEL"')
  const numbered = rest !== ''
  return {
    name: 'limit: concatenation',
    run() {
      let size = first
      let text = ''
      let seq = 1
      for (const event of deltas) {
        if (event.type !== 'text_delta') continue
        text = numbered ? prefix + seq++ + middle + quote(event.delta) + suffix : middle + quote(event.delta) + suffix
        size += text.charCodeAt(text.length - 1)
      }
      return `${size} ${text}`
    },
  }
}
