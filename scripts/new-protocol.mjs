// A new protocol that keeps every law from the start: copies templates/protocol to packages/<name> and fills the name in.
// `npm run new -- <name>`; then docs/adding-a-protocol.md. No other file changes but the lockfile, which pnpm writes; a changeset is new.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Script } from 'node:vm'
import { entriesOf } from './release/packages.mjs'
import { withRepository } from './release/repository.mjs'

const USAGE = `usage: npm run new -- <name>

  name          of the wire: words of small letters and digits, joined by hyphens, such as anthropic-messages
  --no-install  neither link the new package nor build it: then its api.md is still to be written, by npm run api`

/** As the template spells its own name. */
const TEMPLATE = { kebab: 'new-wire', camel: 'newWire' }

const root = fileURLToPath(new URL('..', import.meta.url))

try {
  await main()
} catch (error) {
  console.error(`${error.message}\n\n${USAGE}`)
  process.exitCode = 2
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { 'no-install': { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  })
  if (values.help) return console.log(USAGE)
  const [name, ...more] = positionals
  if (name === undefined || more.length > 0) throw new Error('Give one name.')
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) || name.length > 40) {
    throw new Error(`"${name}" is no name for a wire: use small letters and digits, with single hyphens between words.`)
  }
  const folder = join('packages', name)
  if (existsSync(join(root, folder))) throw new Error(`${folder} exists already.`)
  const identifier = checkedIdentifier(name)

  cpSync(join(root, 'templates', 'protocol'), join(root, folder), { recursive: true })
  const files = readdirSync(join(root, folder), { recursive: true }).map((file) => join(folder, file))
  for (const file of files) if (statSync(join(root, file)).isFile()) fillIn(join(root, file), name, identifier)
  sayWhereFrom(folder)
  writeFileSync(join(root, '.changeset', `new-${name}.md`), changeset(name))
  if (!values['no-install']) run('pnpm', 'install', '--no-frozen-lockfile', '--prefer-offline')
  // Another name may break a line elsewhere.
  run(join(root, 'node_modules', '.bin', 'oxfmt'), folder)
  if (!values['no-install']) await describe(folder)
  console.log(
    `${folder} is a protocol named ${name} now, with the template's wire. Next: docs/adding-a-protocol.md, step 2.`,
  )
}

/** The name as TypeScript spells it. Throws where it cannot be one, or stands for something else where the template writes its own. */
function checkedIdentifier(name) {
  const identifier = name.replace(/-([a-z0-9])/g, (_, letter) => letter.toUpperCase())
  const word = new RegExp(`\\b${identifier}\\b`)
  const taken = ['src/index.ts', 'test/conform.test.ts']
    .map((file) => readFileSync(join(root, 'templates', 'protocol', file), 'utf8'))
    .some((source) => word.test(source))
  if (taken || !canBeNamed(identifier))
    throw new Error(`"${identifier}" means something else already: choose another name.`)
  return identifier
}

/** The language itself knows which words it keeps. Nothing is run. */
function canBeNamed(identifier) {
  try {
    void new Script(`'use strict'; const ${identifier} = 0`)
    return true
  } catch {
    return false
  }
}

function fillIn(file, name, identifier) {
  const text = readFileSync(file, 'utf8')
  const filled = text.replaceAll(TEMPLATE.kebab, name).replaceAll(TEMPLATE.camel, identifier)
  if (filled !== text) writeFileSync(file, filled)
}

/** As the other packages do, once it is known. */
function sayWhereFrom(folder) {
  const [{ repository }, manifest] = ['.', folder].map((each) =>
    JSON.parse(readFileSync(join(root, each, 'package.json'), 'utf8')),
  )
  const told = JSON.stringify(withRepository(manifest, repository, folder), null, 2)
  writeFileSync(join(root, folder, 'package.json'), `${told}\n`)
}

function changeset(name) {
  return `---
'@factwire/${name}': minor
---

Agent runs on the wire ${name}, written and read.
`
}

/** Its public surface, as `npm run api` keeps it. */
async function describe(folder) {
  run(join(root, 'node_modules', '.bin', 'tsc'), '-p', folder)
  // In a fresh checkout what it imports was installed only now.
  const { apiReport } = await import('./release/api-report.mjs')
  const path = join(root, folder)
  const manifest = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))
  const { name } = manifest
  writeFileSync(join(path, 'api.md'), apiReport({ name, folder: path, entries: entriesOf({ name, manifest }) }))
}

function run(command, ...args) {
  const { status, error, stdout } = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['inherit', 'pipe', 'inherit'],
  })
  if (!error && status === 0) return
  throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? `ended with ${status}\n${stdout}`}`)
}
