/** What the encoder of each wire adds to a page. */
import { type Bundle, bundle, encoderOf } from '../bundle.ts'
import { atMost, type Report, type Row, single } from '../report.ts'
import type { Setting } from '../setting.ts'
import { entryOf, isWritable } from '../wires.ts'

/** In kB: what the largest wire has reached, and what was wished for. The README says what each part weighs. */
const BUDGET = 11
const WISH = 6

export async function run({ wires }: Setting): Promise<Report> {
  const rows: Row[] = []
  for (const { name } of wires.filter(isWritable)) {
    const alone = await bundle([{ from: entryOf(name), names: ['transcoder'] }])
    rows.push({ ...sizeRow(`transcoder: factwire ${name}`, alone), bar: atMost(BUDGET, WISH) })
    rows.push(sizeRow(`transcoder, framing, writer: factwire ${name}`, await bundle(encoderOf(name))))
  }
  return { tables: [], rows }
}

/** Compressed with brotli, which is what sizes of packages are usually told in. */
function sizeRow(what: string, { bytes, gzip, brotli, packages }: Bundle): Row {
  const parts = packages.map(({ name, share }) => `${name} ${Math.round(share * 100)} %`)
  return {
    what,
    against: 'bundle, brotli',
    value: single(brotli / 1000),
    unit: 'kB',
    detail: `${bytes} bytes, gzip ${gzip}: ${parts.join(', ')}`,
  }
}
