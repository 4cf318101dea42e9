// Makes a release of what is committed, from a fresh clone to the people who install it, without telling anybody: versions, build, the
// publishing itself, then one empty project for each package. What is published goes to a registry of its own on the loopback.
//
// Nothing of the user is used but the address of the registry that has the packages of others: the home is empty, so there is no token
// and no cache. While publishing, whatever does not go to the loopback goes nowhere.
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { consume, emptyProject, neededFor, tryExamples } from './release/consumer.mjs'
import { fingerprint } from './release/fingerprint.mjs'
import { publicPackages } from './release/packages.mjs'
import { startRegistry } from './release/registry.mjs'
import { run, stopAll } from './release/run.mjs'
import { OFFLINE, sandbox } from './release/sandbox.mjs'

const LONGEST = 480_000
const EXAMPLES = 'apps/demo/test/examples.test.ts'
const RELEASE = '.github/workflows/release.yml'

const root = fileURLToPath(new URL('..', import.meta.url))
const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'factwire-rehearsal-')))
const clone = join(scratch, 'clone')
const { env, useRegistry } = sandbox(join(scratch, 'home'))
const start = performance.now()

let registry
setTimeout(() => finish(new Error(`The rehearsal is not over after ${LONGEST / 1000} s.`)), LONGEST).unref()
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => finish(new Error(`stopped by ${signal}`)))
rehearse().then(() => finish(), finish)

function finish(error) {
  stopAll()
  registry?.close()
  discard(scratch)
  if (error) console.error(`\n${error.message}`)
  const seconds = secondsSince(start)
  console.log(error ? `\nThe rehearsal failed after ${seconds} s.` : `\nEverything could be released. ${seconds} s`)
  process.exit(error ? 1 : 0)
}

/** Tens of thousands of files: nobody has to wait for them. */
function discard(folder) {
  const remove = `require('node:fs').rmSync(${JSON.stringify(folder)}, { recursive: true, force: true })`
  spawn(process.execPath, ['--eval', remove], { detached: true, stdio: 'ignore' }).unref()
}

/** One line each, with its seconds. Nothing follows a step that fails. */
async function step(name, work) {
  const begin = performance.now()
  try {
    const detail = await work()
    console.log(`✓ ${name.padEnd(32)}${secondsSince(begin).padStart(6)} s  ${detail ?? ''}`.trimEnd())
  } catch (error) {
    console.log(`✗ ${name.padEnd(32)}${secondsSince(begin).padStart(6)} s`)
    throw new Error(`${name}: ${error.message}`, { cause: error })
  }
}

const secondsSince = (begin) => ((performance.now() - begin) / 1000).toFixed(1)

async function rehearse() {
  const uplink = spawnSync('npm', ['config', 'get', 'registry'], { cwd: root, encoding: 'utf8' }).stdout.trim()
  useRegistry(uplink)
  await step('clone', () => run('git', ['clone', '--quiet', root, clone], { env, cwd: scratch }))
  // A newcomer's first command: it installs and builds by itself.
  await step('npm run demo, nothing cached', async () => {
    const said = await run('npm', ['run', 'demo'], { env, cwd: clone })
    return `${said.split('\n').length} lines`
  })
  await step('install', async () => {
    env.PATH = await pathWithPnpm()
    await pnpm(['install', '--frozen-lockfile'])
  })

  const before = publicPackages(clone)
  await step('version', async () => {
    const changeset = `---\n${before.map(({ name }) => `'${name}': patch\n`).join('')}---\n\nRehearsed.\n`
    writeFileSync(join(clone, '.changeset', 'rehearsal.md'), changeset)
    await pnpm(['run', 'bump'])
    return expectNewVersions(before)
  })
  const packages = publicPackages(clone)
  await step('build', () => pnpm(['run', 'build']).then(() => ''))
  const licence = fingerprint(clone, ['LICENSE'])
  const built = new Map(
    packages.map(({ name, path, manifest }) => [
      name,
      new Map([...fingerprint(path, [...manifest.files, 'README.md']), ...licence]),
    ]),
  )

  const ours = new Set(packages.map(({ name }) => name))
  registry = await startRegistry({ owns: (name) => ours.has(name), uplink })
  useRegistry(registry.url, 'nobody')
  await step('provenance', expectProvenance)
  await step('publish', async () => {
    await pnpm(['run', 'release'], OFFLINE)
    const expected = packages.map(({ name, manifest }) => `${name}@${manifest.version}`)
    expectSame('published', registry.published(), expected)
    const tags = await run('git', ['tag', '--points-at', 'HEAD'], { env, cwd: clone })
    expectSame('tagged', tags.split('\n').filter(Boolean), expected)
    return `${expected.length} packages`
  })

  await step('surface', async () => {
    const said = await run(process.execPath, ['scripts/api.mjs'], { env, cwd: clone })
    const pages = said.split('\n').filter(Boolean)
    const other = pages.find((line) => !line.endsWith('as released'))
    if (other !== undefined || pages.length === 0) throw new Error(other ?? 'no page')
    return `${pages.length} pages as released`
  })

  const tools = await toolbox()
  const projects = join(scratch, 'projects')
  await inParallel([
    () => step('the examples at work', () => tryAll(join(projects, 'examples'), packages, tools)),
    ...packages.map((published) => () => {
      const folder = join(projects, published.folder.replace('/', '-'))
      const given = { published, folder, built: built.get(published.name), tools }
      return step(published.name, async () => (await consume(given)).join(', '))
    }),
    () => step('README.md', () => tryReadme(join(projects, 'readme'), tools)),
  ])
}

/** As many at once as there are processors: half of the time is spent waiting for packages. */
async function inParallel(works) {
  const waiting = [...works]
  const worker = async () => {
    for (let next; (next = waiting.shift());) await next()
  }
  await Promise.all(Array.from({ length: availableParallelism() }, worker))
}

// ── Steps ──

function expectNewVersions(before) {
  const after = new Map(publicPackages(clone).map(({ name, manifest }) => [name, manifest.version]))
  const same = before.find(({ name, manifest }) => after.get(name) === manifest.version)
  if (same) throw new Error(`${same.name} is still ${same.manifest.version}`)
  return [...after].map(([name, version]) => `${name.replace(/^@[^/]+\//, '')} ${version}`).join(', ')
}

/** Where there is nobody who could vouch for it, a publishing that asks for provenance has to refuse. */
async function expectProvenance() {
  const setting = /^\s*(PNPM_CONFIG_PROVENANCE): '(true)'$/m.exec(readFileSync(join(clone, RELEASE), 'utf8'))
  if (!setting) throw new Error(`${RELEASE} does not ask for it`)
  const [{ name }] = publicPackages(clone)
  const said = await pnpm(
    ['--filter', name, 'publish', '--no-git-checks'],
    { ...OFFLINE, [setting[1]]: setting[2] },
    { fails: true },
  )
  if (!said.includes('ERR_PNPM_PROVENANCE_UNSUPPORTED_PROVIDER')) throw new Error(`it is not asked for:\n${said}`)
  if (registry.published().length > 0) throw new Error(`published all the same: ${registry.published().join(', ')}`)
}

/** Runs the tests of all examples, in a project that has the packages from the registry and no source of theirs. */
async function tryAll(folder, packages, tools) {
  emptyProject(folder)
  const wanted = packages.map(({ name, manifest }) => `${name}@${manifest.version}`)
  for (const name of ['vitest', 'eventsource']) wanted.push(`${name}@${inCatalog(name)}`)
  await tools.npm(folder, 'install', ...wanted)
  const pages = packages.map(({ folder: each }) => `${each}/README.md`)
  for (const path of ['README.md', ...pages, 'apps/demo/src', EXAMPLES]) {
    cpSync(join(clone, path), join(folder, path), { recursive: true })
  }
  const said = await tools.node(folder, 'node_modules/vitest/vitest.mjs', 'run', EXAMPLES)
  return /Tests\s+(\d+ passed)/.exec(said)?.[1]
}

async function tryReadme(folder, tools) {
  const readme = readFileSync(join(clone, 'README.md'), 'utf8')
  emptyProject(folder)
  await tools.npm(folder, 'install', ...neededFor(readme, tools))
  const shown = await tryExamples({ folder, readme, tools })
  if (shown === 0) throw new Error('it shows no example')
  return `${shown} example`
}

// ── Tools ──

/** npx asks the registry each time, even for what it has: it is asked once, and gives the folder where pnpm is. */
function pathWithPnpm() {
  const { packageManager } = JSON.parse(readFileSync(join(clone, 'package.json'), 'utf8'))
  const print = ['--package', packageManager, 'node', '--print', 'process.env.PATH']
  return run('npx', ['--yes', ...print], { env, cwd: scratch }).then((path) => path.trim())
}

function pnpm(args, more = {}, options = {}) {
  return run('pnpm', args, { env: { ...env, ...more }, cwd: clone, ...options })
}

async function toolbox() {
  const resolve = (name) => createRequire(join(clone, 'package.json')).resolve(name)
  const { rolldown } = await import(pathToFileURL(resolve('rolldown')).href)
  const { answerBytes } = await import(pathToFileURL(join(clone, 'apps/demo/dist/script.js')).href)
  return {
    npm: (cwd, ...args) => run('npm', args, { env, cwd }),
    npx: (cwd, ...args) => run('npx', ['--no-install', ...args], { env, cwd }),
    node: (cwd, ...args) => run(process.execPath, args, { env, cwd }),
    bundler: rolldown,
    compiler: join(clone, 'node_modules/typescript/bin/tsc'),
    nodeTypes: inCatalog('@types/node'),
    recording: answerBytes(),
  }
}

function inCatalog(name) {
  const version = new RegExp(`^  '?${name}'?: (.+)$`, 'm').exec(
    readFileSync(join(clone, 'pnpm-workspace.yaml'), 'utf8'),
  )
  if (!version) throw new Error(`${name} is not in the catalog`)
  return version[1]
}

function expectSame(what, found, expected) {
  const [a, b] = [found, expected].map((list) => [...list].toSorted((x, y) => x.localeCompare(y)).join(', '))
  if (a !== b) throw new Error(`${what}: ${a || 'nothing'}\nexpected: ${b}`)
}
