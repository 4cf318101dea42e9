// Puts protocols to the laws and prints what came of it. `npm run laws -- [protocol …] [--runs N] [--seed N]`
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { lawsTable } from './laws-table.mjs'

const USAGE = `usage: npm run laws -- [protocol …] [--runs N] [--seed N]

  protocol  names of folders in packages; default: all that have test/conform.test.ts
  --runs    runs of each law; default 200
  --seed    where the generated runs begin; default: always the same`

const root = fileURLToPath(new URL('..', import.meta.url))
/** The second is for who keeps the faults apart. */
const TESTS = [join('test', 'conform.test.ts'), join('test', 'sabotage.test.ts')]

const testsOf = (name) =>
  TESTS.map((test) => join('packages', name, test)).filter((path) => existsSync(join(root, path)))

try {
  process.exitCode = main()
} catch (error) {
  console.error(`${error.message}\n\n${USAGE}`)
  process.exitCode = 2
}

function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { runs: { type: 'string' }, seed: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  })
  if (values.help) {
    console.log(USAGE)
    return 0
  }
  const known = readdirSync(join(root, 'packages')).filter((name) => testsOf(name).length > 0)
  const unknown = positionals.find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Error(`No laws for ${unknown}: there are ${known.join(', ')}.`)
  const protocols = positionals.length > 0 ? positionals : known
  return judge(protocols, {
    ...(values.runs === undefined ? {} : { FACTWIRE_RUNS: wholeNumber('--runs', values.runs, 1) }),
    ...(values.seed === undefined ? {} : { FACTWIRE_SEED: wholeNumber('--seed', values.seed, -Infinity) }),
  })
}

function wholeNumber(option, text, least) {
  const value = Number(text)
  if (!/^-?\d+$/.test(text) || value < least) throw new Error(`${option} must be a whole number, not ${text}.`)
  return text
}

function judge(protocols, settings) {
  const scratch = mkdtempSync(join(tmpdir(), 'factwire-laws-'))
  const file = join(scratch, 'report.json')
  try {
    const paths = protocols.flatMap(testsOf)
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
    const { status, error } = spawnSync(
      process.execPath,
      [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', ...paths, '--typecheck.enabled=false', ...reporters],
      { cwd: root, stdio: 'inherit', env: { ...process.env, ...settings } },
    )
    if (error) throw error
    if (existsSync(file)) console.log(lawsTable(JSON.parse(readFileSync(file, 'utf8'))).join('\n'))
    return status ?? 1
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}
