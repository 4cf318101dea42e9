// Writes into each protocol's README what becomes of facts, and into GRAMMAR.md which rules its streams keep and how its machines look: all
// from the built packages. `npm run docs`; `--check` writes nothing and fails where something is out of date.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { between, diagrams, fidelityTable, rulesTable } from './docs-tables.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const { values, positionals } = parseArgs({ allowPositionals: true, options: { check: { type: 'boolean' } } })

const { drawMachine } = await built('core')
const names = positionals.length > 0 ? positionals : readdirSync(join(root, 'packages'))
const outdated = []
for (const name of names) {
  const protocol = Object.values(await built(name)).find((value) => value?.name === name && 'framing' in value)
  if (protocol) for (const [file, text] of pagesOf(protocol)) keep(join('packages', name, file), text)
}
for (const file of outdated) console.error(`${file} is out of date: run npm run docs`)
process.exitCode = outdated.length > 0 ? 1 : 0

async function built(name) {
  const file = join(root, 'packages', name, 'dist', 'index.js')
  if (!existsSync(file)) throw new Error(`packages/${name} is not built`)
  return import(pathToFileURL(file).href)
}

function pagesOf({ name, fidelity, grammar }) {
  const sections = [
    ...(fidelity ? ['## What becomes of facts', fidelityTable(fidelity)] : []),
    ...(grammar ? ['[GRAMMAR.md](GRAMMAR.md) has the rules of a stream, and draws them.'] : []),
  ]
  if (sections.length === 0) return []
  const readme = readFileSync(join(root, 'packages', name, 'README.md'), 'utf8')
  return [
    ['README.md', between(readme, sections.join('\n\n'))],
    ...(grammar ? [['GRAMMAR.md', grammarPage(name, grammar)]] : []),
  ]
}

function grammarPage(name, grammar) {
  const parts = [
    `# The grammar of ${name}`,
    'Written by `npm run docs`.',
    '## The rules',
    rulesTable(grammar),
    'One machine for the stream, `run`, and one of each other kind for each item that it opens. What leads nowhere there breaks a rule.',
    diagrams(grammar, drawMachine),
  ]
  return `${parts.join('\n\n')}\n`
}

function keep(file, text) {
  const path = join(root, file)
  const formatted = format(path, text)
  if (existsSync(path) && readFileSync(path, 'utf8') === formatted) return
  if (values.check) outdated.push(file)
  else writeFileSync(path, formatted)
}

function format(path, text) {
  const { stdout, status, stderr, error } = spawnSync(
    join(root, 'node_modules', '.bin', 'oxfmt'),
    ['--stdin-filepath', path],
    {
      cwd: root,
      input: text,
      encoding: 'utf8',
    },
  )
  if (error || status !== 0) throw error ?? new Error(`oxfmt: ${stderr}`)
  return stdout
}
