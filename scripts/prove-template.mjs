// Proves that what `npm run new` makes is whole: in a copy of the repository a protocol is made from the template, and it must have
// right types, be clean for linter and formatter, have its tables in its README, and keep every law, with no edit at all.
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { manifestFaults } from './release/manifest.mjs'

/** Long enough that lines have to be broken elsewhere than in the template. */
const NAME = 'throw-away-wire-of-nobody'

/** Of each law: the template is small, and its laws hold with many more. */
const RUNS = '100'

const root = fileURLToPath(new URL('..', import.meta.url))
const copy = realpathSync(mkdtempSync(join(tmpdir(), 'factwire-template-')))
const folder = join('packages', NAME)

try {
  copyRepository()
  run(process.execPath, 'scripts/new-protocol.mjs', NAME, '--no-install')
  linkDependencies()
  run(bin('tsc'), '-p', 'tsconfig.scaffold.json')
  run(bin('oxlint'), folder)
  run(bin('oxfmt'), '--check', folder)
  run(bin('tsc'), '-p', folder)
  run(process.execPath, 'scripts/docs.mjs', '--check', NAME)
  demandManifest()
  run(bin('vitest'), 'run', folder, '--update=none', '--typecheck.enabled=false')
  console.log(`\nA protocol made from the template is whole: ${folder}`)
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
} finally {
  rmSync(copy, { recursive: true, force: true })
}

// The links inside the packages are relative, so they lead to the copy; only third-party code is shared.
function copyRepository() {
  const files = [
    'package.json',
    'tsconfig.json',
    'tsconfig.base.json',
    'vitest.config.ts',
    '.oxlintrc.json',
    '.oxfmtrc.json',
  ]
  for (const file of files) cpSync(join(root, file), join(copy, file))
  for (const path of ['packages', 'scripts', 'templates', '.changeset']) {
    cpSync(join(root, path), join(copy, path), {
      recursive: true,
      verbatimSymlinks: true,
      // Built packages are not needed, but for core, which draws the grammar.
      filter: (from) => basename(from) !== 'dist' || from === join(root, 'packages', 'core', 'dist'),
    })
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'dir')
  const scaffold = { extends: './tsconfig.json', include: [`${folder}/src`, `${folder}/test`] }
  writeFileSync(join(copy, 'tsconfig.scaffold.json'), JSON.stringify(scaffold))
}

/** What pnpm would do, without a registry: another package has each dependency, or is it. */
function linkDependencies() {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(copy, folder, 'package.json'), 'utf8'))
  for (const dependency of Object.keys({ ...dependencies, ...devDependencies })) {
    const link = join(copy, folder, 'node_modules', dependency)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(targetOf(dependency), link, 'dir')
  }
}

function targetOf(dependency) {
  const own = dependency.replace(/^@factwire\//, '')
  if (own !== dependency) return join(copy, 'packages', own)
  const link = readdirSync(join(copy, 'packages'))
    .map((name) => join(copy, 'packages', name, 'node_modules', dependency))
    .find((path) => existsSync(path))
  if (link === undefined) throw new Error(`No package has ${dependency}, which the template depends on.`)
  return join(dirname(link), readlinkSync(link))
}

/** What every published package says of itself. */
function demandManifest() {
  const [root, manifest] = ['.', folder].map((path) =>
    JSON.parse(readFileSync(join(copy, path, 'package.json'), 'utf8')),
  )
  const faults = manifestFaults({ manifest, folder, path: join(copy, folder) }, root)
  if (faults.length > 0) throw new Error(['package.json:', ...faults].join('\n  '))
}

function bin(name) {
  return join(copy, 'node_modules', '.bin', name)
}

function run(command, ...args) {
  console.log(`\n$ ${[basename(command), ...args].join(' ')}`)
  const { status, error } = spawnSync(command, args, {
    cwd: copy,
    stdio: 'inherit',
    env: { ...process.env, FACTWIRE_RUNS: RUNS },
  })
  if (error || status !== 0) throw new Error(`${basename(command)} ${error?.message ?? `ended with ${status}`}`)
}
