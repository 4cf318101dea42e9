// Makes a release of what is committed, from a fresh clone to the people who install it, without telling anybody: versions, build, the
// publishing itself, then one empty project for each package; then the next release, of one package alone. What is published goes to a
// registry of its own on the loopback.
//
// Nothing of the user is used but the address of the registry that has the packages of others: the home is empty, so there is no token
// and no cache. While publishing, whatever does not go to the loopback goes nowhere.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, realpathSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { copiesOf, offered, tryAlone } from './release/alone.mjs'
import { announced } from './release/changesets.mjs'
import { fingerprint } from './release/fingerprint.mjs'
import { announceNews, chooseOne, makeVersions, tryDependents } from './release/ordinary.mjs'
import { tryDemo, tryUnpublished } from './release/newcomer.mjs'
import { publicPackages } from './release/packages.mjs'
import { prebuilt } from './release/prebuilt.mjs'
import { startRegistry } from './release/registry.mjs'
import { stopAll } from './release/run.mjs'
import { OFFLINE, sandbox } from './release/sandbox.mjs'
import { expectSame, inParallel, secondsSince, step } from './release/steps.mjs'
import { installTogether, tryAtWork, tryReadmes } from './release/together.mjs'
import { toolbox } from './release/toolbox.mjs'
import { tryTypes } from './release/types.mjs'
import { bumpOf } from './release/versions.mjs'

const LONGEST = 480_000
const RELEASE = '.github/workflows/release.yml'

const root = fileURLToPath(new URL('..', import.meta.url))
const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'factwire-rehearsal-')))
// As README.md calls it.
const clone = join(scratch, 'factwire')
const projects = join(scratch, 'projects')
const { env, useRegistry } = sandbox(join(scratch, 'home'))
const tools = toolbox({ clone, env })
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
  const busy = `${availableParallelism()} processors, load ${loadavg()[1].toFixed(1)}`
  const verdict = error ? 'The rehearsal failed.' : 'Everything could be released.'
  console.log(`\n${verdict} ${secondsSince(start)} s, ${busy}`)
  process.exit(error ? 1 : 0)
}

/** Tens of thousands of files: nobody has to wait for them. */
function discard(folder) {
  const remove = `require('node:fs').rmSync(${JSON.stringify(folder)}, { recursive: true, force: true })`
  spawn(process.execPath, ['--eval', remove], { detached: true, stdio: 'ignore' }).unref()
}

async function rehearse() {
  const uplink = spawnSync('npm', ['config', 'get', 'registry'], { cwd: root, encoding: 'utf8' }).stdout.trim()
  useRegistry(uplink)
  await step('clone', cloneIt)
  await step('who we are', sayWhoWeAre)
  await step('versions, nothing cached', versions)
  await step('npm run demo', () => tryDemo({ clone, tools }))
  const packages = publicPackages(clone)
  await step('without a registry', () => tryUnpublished({ clone, packages, tools }))

  const built = filesOf(packages)
  const ours = new Set(packages.map(({ name }) => name))
  registry = await startRegistry({ owns: (name) => ours.has(name), uplink })
  useRegistry(registry.url, 'nobody')
  lendCompiled(packages, ({ folder }) => join(root, folder))
  await step('provenance', expectProvenance)
  let tested
  await step('what was tested', async () => {
    tested = await expectTested()
    return 'anything else is refused'
  })
  await step('publish', () => publish(packages, tested))
  await step('surface', surface)

  await tools.prepare()
  const alone = (published) => join(projects, published.folder.replaceAll('/', '-'))
  await inParallel(
    packages.toSorted(longestFirst).map((published) => () => {
      const given = { published, folder: alone(published), built: built.get(published.name), tools }
      return step(`${published.name} alone`, () => tryAlone(given))
    }),
  )
  lendCompiled(packages, alone)
  const folder = packages.map(alone).toSorted((a, b) => copiesOf(b).length - copiesOf(a).length)[0]
  const together = { packages, folder, clone, tools }
  const typed = packages.map((each) => ({ folder: alone(each), name: each.name, entries: offered(each).alone }))
  const beside = packages.map((each) => ({ folder, name: each.name, entries: offered(each).beside }))
  await step('all together', () => installTogether(together))
  // What is installed stays as it is when something newer is published.
  await inParallel([
    () => nextRelease(packages),
    () => step('types', () => tryTypes({ alone: withEntries(typed), beside: withEntries(beside), folder, tools })),
    () => step('the examples at work', () => tryAtWork(together)),
    () => step('the examples of the READMEs', () => tryReadmes(together)),
  ])
}

const withEntries = (several) => several.filter(({ entries }) => entries.length > 0)
/** What a package needs beside itself is a tool, with all that it needs. */
const longestFirst = (a, b) => offered(b).required.length - offered(a).required.length

// ── Steps ──

/** Its registry knows of no release, so neither does the clone. */
async function cloneIt() {
  await tools.git(scratch, 'clone', '--quiet', root, clone)
  const tags = (await tools.git(clone, 'tag', '--list')).split('\n').filter(Boolean)
  if (tags.length > 0) await tools.git(clone, 'tag', '--delete', ...tags)
}

/** Nothing is published by whoever does not say where it comes from. */
async function sayWhoWeAre() {
  const { repository } = JSON.parse(readFileSync(join(clone, 'package.json'), 'utf8'))
  const script = 'scripts/repository.mjs'
  if (repository !== undefined) return tools.node(clone, script).then(() => repository.url)
  const said = await tools.node(clone, script, { fails: true })
  if (!said.includes(`node ${script} https://`)) throw new Error(`it is not said what to do:\n${said}`)
  if (!readFileSync(join(clone, 'package.json'), 'utf8').includes(`"release": "node ${script} && `))
    throw new Error(`pnpm run release does not begin with ${script}`)
  await tools.node(clone, script, 'https://example.org/rehearsal/rehearsal.git')
  return 'repository: not set yet, so it is made up here'
}

/** Those that are to come, by the changesets as they stand. It is the first command in the clone, and has to install by itself. */
async function versions() {
  const told = announced(clone)
  const before = new Map(publicPackages(clone).map(({ name, manifest }) => [name, manifest.version]))
  await tools.prepareShell()
  await tools.pnpm(['run', 'bump'])
  await tools.commit('Release')
  const left = readdirSync(join(clone, '.changeset')).filter((file) => file.endsWith('.md') && file !== 'README.md')
  if (left.length > 0) throw new Error(`not used up: ${left.join(', ')}`)
  const after = publicPackages(clone).map(({ name, manifest }) => {
    const bump = bumpOf(before.get(name), manifest.version)
    const wanted = told.get(name)
    // A dependency may have moved it.
    if (wanted === undefined ? !['no', 'patch'].includes(bump) : bump !== wanted)
      throw new Error(`${name} goes from ${before.get(name)} to ${manifest.version}, told is: ${wanted ?? 'nothing'}`)
    if (manifest.version === '0.0.0') throw new Error(`${name} has no version, and no changeset gives it one`)
    return `${name.replace(/^@[^/]+\//, '')} ${manifest.version}`
  })
  return after.join(', ')
}

function filesOf(packages) {
  const licence = fingerprint(clone, ['LICENSE'])
  const files = ({ path, manifest }) => fingerprint(path, [...manifest.files, 'README.md'])
  return new Map(packages.map((each) => [each.name, new Map([...files(each), ...licence])]))
}

/** Where there is nobody who could vouch for it, a publishing that asks for provenance has to refuse. */
async function expectProvenance() {
  const setting = /^\s*(PNPM_CONFIG_PROVENANCE): '(true)'$/m.exec(readFileSync(join(clone, RELEASE), 'utf8'))
  if (!setting) throw new Error(`${RELEASE} does not ask for it`)
  const [{ name }] = publicPackages(clone)
  const publishing = ['--filter', name, 'publish', '--no-git-checks']
  const said = await tools.pnpm(publishing, { env: { ...OFFLINE, [setting[1]]: setting[2] }, fails: true })
  if (!said.includes('ERR_PNPM_PROVENANCE_UNSUPPORTED_PROVIDER')) throw new Error(`it is not asked for:\n${said}`)
  if (registry.published().length > 0) throw new Error(`published all the same: ${registry.published().join(', ')}`)
  return 'refused where nobody can vouch'
}

/** A build that is not what was tested has to be refused. Gives the hash of what was. */
async function expectTested() {
  const said = await tools.pnpm(['run', 'say-tested'])
  const other = await tools.pnpm(['run', 'release'], { env: { ...OFFLINE, FACTWIRE_TESTED: '0' }, fails: true })
  if (!other.includes('nothing is published')) throw new Error(`it is not compared:\n${other}`)
  if (registry.published().length > 0) throw new Error(`published all the same: ${registry.published().join(', ')}`)
  return /^tested=(\w+)$/m.exec(said)[1]
}

/** What is compiled in one place need not be compiled in the next. */
function lendCompiled(packages, folderOf) {
  for (const published of packages) {
    for (const { setting, path, bytes } of prebuilt(join(folderOf(published), 'node_modules'), published)) {
      registry.serve(path, bytes)
      env[setting] = registry.url.replace(/\/$/, '')
    }
  }
}

/** These and no others, each with its tag. */
async function publish(packages, tested) {
  const before = new Set(registry.published())
  await tools.pnpm(['run', 'release'], {
    env: tested === undefined ? OFFLINE : { ...OFFLINE, FACTWIRE_TESTED: tested },
  })
  const expected = packages.map(({ name, manifest }) => `${name}@${manifest.version}`)
  expectSame(
    'published',
    registry.published().filter((label) => !before.has(label)),
    expected,
  )
  const tags = await tools.git(clone, 'tag', '--points-at', 'HEAD')
  expectSame('tagged', tags.split('\n').filter(Boolean), expected)
  return packages.length > 2 ? `${packages.length} packages` : expected.join(', ')
}

async function surface() {
  const said = await tools.node(clone, 'scripts/api.mjs')
  const pages = said.split('\n').filter(Boolean)
  const other = pages.find((line) => !line.endsWith('as released'))
  if (other !== undefined || pages.length === 0) throw new Error(other ?? 'no page')
  return `${pages.length} pages as released`
}

async function nextRelease(packages) {
  const one = chooseOne(packages)
  const given = { clone, one, packages, tools }
  await step('next: something new', () => announceNews(given))
  let moved
  await step('next: versions', async () => {
    moved = await makeVersions(given)
    return moved.map(({ name, manifest }) => `${name} ${manifest.version}`).join(', ')
  })
  await step('next: publish', () => publish(moved))
  await step('next: who depends on it', () =>
    tryDependents({ clone, name: one.name, folder: join(projects, 'next'), tools }),
  )
}
