// The release that a maintainer makes most often, after all packages have had one: one package gets something new. Its surface has to be
// announced as that, it alone gets a minor version, whoever depends on it follows where its range does not reach, and nobody else moves.
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { copiesOf, emptyProject } from './alone.mjs'
import { entriesOf, publicPackages } from './packages.mjs'
import { expectSame } from './steps.mjs'
import { afterRelease, dependentsOf } from './versions.mjs'

const ADDED = 'rehearsed'
const NEWS = 'Something new to rehearse with.'

/** The one that some depend on, and the fewest: what must not move is most then. */
export function chooseOne(packages) {
  const [one] = packages
    .map((each) => ({ each, count: dependentsOf(each.name, packages).length }))
    .filter(({ each, count }) => count > 0 && entriesOf(each).length > 0)
    .toSorted((a, b) => a.count - b.count)
  if (!one) throw new Error('no package depends on another')
  return one.each
}

/** A new export is refused without a changeset, and with one that says too little. */
export async function announceNews({ clone, one, tools }) {
  const [{ source }] = entriesOf(one)
  appendFileSync(join(one.path, source), `\n/** There is something new. */\nexport const ${ADDED}: string = 'new'\n`)
  await tools.pnpm(['exec', 'turbo', 'run', 'build', '--filter', one.name])
  await tools.node(clone, 'scripts/api.mjs', '--write')
  const file = join(clone, '.changeset', 'rehearsed-news.md')
  const refused = async (why) => {
    const said = await tools.node(clone, 'scripts/api.mjs', { fails: true })
    if (!said.includes(`The public surface of ${one.name} has grown`) || !said.includes(why)) throw new Error(said)
  }
  await refused('nobody is told')
  writeFileSync(file, `---\n'${one.name}': patch\n---\n\n${NEWS}\n`)
  await refused('told of a patch')
  writeFileSync(file, `---\n'${one.name}': minor\n---\n\n${NEWS}\n`)
  await tools.node(clone, 'scripts/api.mjs')
  await tools.commit('Something new')
  return `${one.name} with a new export: refused without a changeset and as a patch`
}

/** Versions and changelogs are those that follow. Gives the packages that have moved. */
export async function makeVersions({ clone, one, packages, tools }) {
  const expected = afterRelease(one.name, 'minor', packages)
  await tools.pnpm(['run', 'bump'])
  await tools.commit('Release')
  const after = publicPackages(clone)
  const label = (name, version) => `${name}@${version}`
  expectSame(
    'versions',
    after.map(({ name, manifest }) => label(name, manifest.version)),
    [...expected].map(([name, version]) => label(name, version)),
  )
  const moved = after.filter(({ name, manifest }) =>
    packages.some((each) => each.name === name && each.manifest.version !== manifest.version),
  )
  for (const { name, path, manifest } of moved) {
    const told = readFileSync(join(path, 'CHANGELOG.md'), 'utf8').split(/^## /m)[1] ?? ''
    const news = name === one.name ? NEWS : `${one.name}@${expected.get(one.name)}`
    if (!told.startsWith(`${manifest.version}\n`) || !told.includes(news))
      throw new Error(`the changelog of ${name} ${manifest.version} does not say: ${news}`)
  }
  return moved
}

/** Whoever installs a dependent alone gets one copy of the package, the new one. */
export async function tryDependents({ clone, name, folder, tools }) {
  const packages = publicPackages(clone)
  const { manifest: newest } = packages.find((each) => each.name === name)
  const dependents = dependentsOf(name, packages)
  for (const [index, dependent] of dependents.entries()) {
    const place = join(folder, String(index))
    emptyProject(place)
    // What was read of the registry before is out of date.
    await tools.npm(
      place,
      'install',
      '--no-prefer-offline',
      '--prefer-online',
      `${dependent.name}@${dependent.manifest.version}`,
    )
    const copies = copiesOf(place).filter((copy) => copy.startsWith(`${name}@`))
    expectSame(`${dependent.name} comes with`, copies, [`${name}@${newest.version}`])
    const loads = `import { ${ADDED} } from '${name}'; console.log(${ADDED})`
    await tools.node(place, '--input-type=module', '--eval', loads)
    for (const program of Object.keys(dependent.manifest.bin ?? {})) await tools.program(place, program, '--help')
    rmSync(place, { recursive: true })
  }
  return `${dependents.map((each) => `${each.name} ${each.manifest.version}`).join(', ')} with ${newest.version}`
}
