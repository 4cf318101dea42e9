/** Measures what the hot paths cost: beside the least possible, and beside others. Everything happens in this one process. */
import { options } from './options.ts'
import { groups } from './groups/index.ts'
import { random } from './random.ts'
import { hottest } from './profile.ts'
import { isMet, type Report } from './report.ts'
import type { Setting } from './setting.ts'
import { lines } from './table.ts'
import { findWires } from './wires.ts'
import { write } from './result.ts'

const { quick, only, json, checked, profile, seed } = options(process.argv.slice(2))
const order = random(seed)
const setting: Setting = {
  wires: await findWires(),
  quick,
  rounds: { rounds: quick ? 5 : 11, order },
  slowRounds: { rounds: 5, order },
}

const chosen = groups.filter(({ name }) => only.length === 0 || only.includes(name))
const reports = new Map<string, Report>()
for (const { name, title, load } of chosen) {
  const begin = performance.now()
  const { run } = await load()
  const report = await run(setting)
  reports.set(name, report)
  console.log(`\n# ${name}: ${title}`)
  for (const line of lines(report)) console.log(line)
  if (profile) await tellHottest(report)
  console.log(`  (${((performance.now() - begin) / 1000).toFixed(1)} s)`)
}

const asked = [...reports.values()].flatMap(({ rows }) => rows.filter((row) => isMet(row) !== undefined))
const missed = asked.filter((row) => isMet(row) === false)
console.log(`\n${asked.length - missed.length} of ${asked.length} bars met`)
await write(json, { quick, seed }, reports)
if (checked && missed.length > 0) process.exitCode = 1

/** Of each bar that is not met: where the time goes. */
async function tellHottest({ rows }: Report): Promise<void> {
  for (const row of rows) {
    if (isMet(row) !== false || !row.suspect) continue
    console.log(`\n  ${row.what}: self time`)
    for (const { name, share } of await hottest(row.suspect, 12)) {
      console.log(`    ${(share * 100).toFixed(1).padStart(5)} %  ${name}`)
    }
  }
}
