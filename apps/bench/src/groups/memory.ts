/** What a writer holds in a run of a million deltas: as much at its end as near its beginning. */
import { inChild } from '../child.ts'
import { atMost, type Report, type Row, single } from '../report.ts'
import type { Setting } from '../setting.ts'
import { isWritable } from '../wires.ts'

const CHILD = new URL('../children/memory.js', import.meta.url)

/** Kilobytes that a heap may differ by and still be flat. */
const FLAT = atMost(512)

export async function run({ wires, quick }: Setting): Promise<Report> {
  const count = quick ? 100_000 : 1_000_000
  const rows: Row[] = []
  for (const { name } of wires.filter(isWritable)) {
    const many = await held(name, count, 1000)
    const one = await held(name, count, count)
    const against = `heap, 20 % to 100 % of ${count} deltas`
    const value = single(((many.at(-1) ?? 0) - (many[1] ?? 0)) / 1024)
    rows.push({ what: `messages of 1,000 deltas: factwire ${name}`, against, value, unit: 'kB', bar: FLAT })
    const each = ((one.at(-2) ?? 0) - (one[0] ?? 0)) / (0.8 * count)
    rows.push({
      what: `one message: factwire ${name}`,
      against: 'held for an open delta',
      value: single(each),
      unit: 'B',
    })
  }
  // What a wire cannot do without that says all of it again at its end.
  const texts = await held('texts', count, 1000)
  rows.push({
    what: 'messages of 1,000 deltas: limit, what was said itself',
    against: `heap, 20 % to 100 % of ${count} deltas`,
    value: single(((texts.at(-1) ?? 0) - (texts[1] ?? 0)) / 1024),
    unit: 'kB',
  })
  return { tables: [], rows }
}

async function held(wire: string, count: number, length: number): Promise<readonly number[]> {
  const value = await inChild(CHILD, ['--expose-gc'], [wire, String(count), String(length)])
  if (!Array.isArray(value)) throw new TypeError('the child gave no list')
  return value.map(Number)
}
