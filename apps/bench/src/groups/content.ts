/** That an encoder brings nothing along that a page does not need: no validator, and nobody's SDK. */
import { bundle, encoderOf } from '../bundle.ts'
import { atMost, type Report, type Row, single } from '../report.ts'
import type { Setting } from '../setting.ts'
import { isWritable } from '../wires.ts'

/** What a bundle may hold beside the package itself. */
const ALLOWED: ReadonlySet<string> = new Set(['@factwire/core', 'ts-pattern'])

export async function run({ wires }: Setting): Promise<Report> {
  const rows: Row[] = []
  for (const { name } of wires.filter(isWritable)) {
    const { packages } = await bundle(encoderOf(name))
    const foreign = packages.filter((used) => used.name !== `@factwire/${name}` && !ALLOWED.has(used.name))
    rows.push({
      what: `transcoder, framing, writer: factwire ${name}`,
      against: 'other packages in the bundle',
      value: single(foreign.length),
      unit: '',
      bar: atMost(0),
      detail: foreign.map((used) => used.name).join(', '),
    })
  }
  return { tables: [], rows }
}
