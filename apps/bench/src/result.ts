/** Results as JSON, for whoever compares them later. */
import { mkdir, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { isMet, type Report, type Row } from './report.ts'

const RESULTS = new URL('../results/', import.meta.url)

export async function write(
  file: string | undefined,
  options: object,
  reports: ReadonlyMap<string, Report>,
): Promise<void> {
  const groups = Object.fromEntries(
    [...reports].map(([name, { tables, rows }]) => [name, { tables, rows: rows.map(plain) }]),
  )
  const at = new Date().toISOString()
  const machine = { node: process.version, cpu: cpus()[0]?.model, cpus: cpus().length }
  const json = `${JSON.stringify({ at, ...machine, ...options, groups }, undefined, 2)}\n`
  await mkdir(RESULTS, { recursive: true })
  await writeFile(new URL(`${at.replaceAll(':', '-')}.json`, RESULTS), json)
  if (file !== undefined) await writeFile(file, json)
}

function plain(row: Row): object {
  const { what, against, value, unit, bar, detail } = row
  return { what, against, value, unit, bar, detail, met: isMet(row) }
}
