/** Group after group, in one process: measured, printed, and written down. */
import { writeFile } from 'node:fs/promises'
import { groups } from './groups/index.ts'
import { markdown } from './markdown.ts'
import type { Options } from './options.ts'
import { hottest } from './profile.ts'
import { random } from './random.ts'
import { isMet, type Report } from './report.ts'
import { write } from './result.ts'
import type { Setting } from './setting.ts'
import { lines } from './table.ts'
import type { Wire } from './wires.ts'
import { argumentsRun, mixedRun, textRun } from './workload.ts'

/** Gives how many bars were not met. */
export async function bench(
  { quick, only, json, markdown: place, profile, seed }: Options,
  wires: readonly Wire[],
): Promise<number> {
  const order = random(seed)
  const rounds = quick ? { rounds: 3, order, warmUp: 50e6 } : { rounds: 9, order }
  const setting: Setting = { wires, quick, rounds, slowRounds: { ...rounds, rounds: quick ? 3 : 5 } }
  const hashes = Object.fromEntries(
    [textRun(20_000), argumentsRun(5000), mixedRun()].map(({ name, hash }) => [name, hash]),
  )
  console.log(`wires: ${wires.map(({ name }) => name).join(', ')}`)
  console.log(`workloads: ${Object.entries(hashes).flat().join(' ')}`)

  const reports = new Map<string, Report>()
  for (const { name, title, load } of groups) {
    if (only.length > 0 && !only.includes(name)) continue
    const begin = performance.now()
    console.log(`\n# ${name}: ${title}`)
    const { run } = await load()
    const report = await run(setting)
    reports.set(name, report)
    for (const line of lines(report)) console.log(line)
    if (profile) await tellHottest(report)
    console.log(`  (${((performance.now() - begin) / 1000).toFixed(1)} s)`)
  }

  const asked = [...reports.values()].flatMap(({ rows }) => rows).map(isMet)
  const missed = asked.filter((met) => met === false).length
  const met = asked.filter((each) => each === true).length
  console.log(`\n${met} of ${met + missed} bars met`)
  await write(json, { quick, seed, hashes }, reports)
  if (place !== undefined) await writeFile(place, markdown(reports))
  return missed
}

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
