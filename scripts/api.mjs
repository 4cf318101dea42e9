// Keeps the public surface of every published package in a page that is reviewed like code. `--write` writes the pages; without it a page
// that is not what the build declares is a failure, and so is a surface that differs from the last release by more than a changeset says.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { apiReport } from './release/api-report.mjs'
import { announced, announcement } from './release/changesets.mjs'
import { entriesOf, publicPackages } from './release/packages.mjs'

const PAGE = 'api.md'
const LINES = 12
const EXPLAINED = {
  same: 'as released',
  announced: 'announced',
  short: 'changed since the last release',
  unknown: 'NOT CHECKED against the last release: the history is cut off',
}

const root = fileURLToPath(new URL('..', import.meta.url))
const write = process.argv.includes('--write')
const told = announced(root)
const faults = []
const notes = []

for (const { name, folder, path, manifest } of publicPackages(root)) {
  const entries = entriesOf({ name, manifest })
  // A command has no surface that types describe.
  if (entries.length === 0) continue
  const page = `${folder}/${PAGE}`
  if (!existsSync(join(path, entries[0].types))) {
    faults.push(`${name} is not built: there is no ${entries[0].types}.`)
    continue
  }
  const now = apiReport({ name, folder: path, entries })
  const before = existsSync(join(root, page)) ? readFileSync(join(root, page), 'utf8') : ''
  if (write) writeFileSync(join(root, page), now)
  else if (now !== before) {
    faults.push(
      `${page} is not what the build declares. Run \`npm run api\`, and read the difference:`,
      ...differences(before, now),
    )
    continue
  }
  const { standing, ...short } = announcement({ root, name, version: manifest.version, file: page, told })
  console.log(`${page.padEnd(34)}${now !== before ? 'written, ' : ''}${EXPLAINED[standing]}`)
  // Whoever has only just written the page tells the users next.
  if (standing === 'short') (write ? notes : faults).push(inWords(name, short))
}
for (const note of notes) console.log(note)
for (const fault of faults) console.error(fault)
process.exitCode = faults.length > 0 ? 1 : 0

function inWords(name, { change, told: heard, needs }) {
  const what = { new: 'is new', grown: 'has grown', changed: 'has changed' }[change]
  const news = heard === 'no' ? 'nobody is told' : `its users are told of a ${heard}`
  return `The public surface of ${name} ${what} since its last release, and ${news}. Run \`npm run changeset\`: ${needs}, or more.`
}

/** Whole lines that one page has and the other has not: enough to see what it is about. */
function differences(before, now) {
  const only = (text, other, sign) => {
    const known = new Set(other.split('\n'))
    return text.split('\n').flatMap((line) => (known.has(line) ? [] : `  ${sign} ${line}`))
  }
  const lines = [...only(before, now, '-'), ...only(now, before, '+')]
  return lines.length > LINES ? [...lines.slice(0, LINES), `  … and ${lines.length - LINES} lines more`] : lines
}
