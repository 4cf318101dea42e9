/** Measures what the hot paths cost: beside the least possible, and beside others. */
import { bench } from './bench.ts'
import { options } from './options.ts'
import { solo } from './solo.ts'
import { findWires } from './wires.ts'

const asked = options(process.argv.slice(2))
const wires = await findWires()
if (asked.solo !== undefined) console.log(await solo(asked.solo, wires))
else if ((await bench(asked, wires)) > 0 && asked.checked) process.exitCode = 1
