// What a package says of itself, and what is in the archive that is published: alike for all of them.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const SOURCE = '@factwire/source'
/** Beside the folders that `files` names, every archive holds these and nothing else. */
const ALWAYS = ['LICENSE', 'README.md', 'package.json']

/** What is wrong with a manifest, in sentences. `root` is the manifest of the workspace. */
export function manifestFaults({ manifest, folder, path }, root) {
  const faults = []
  const expect = (good, what) => void (good || faults.push(what))
  const isProgram = manifest.bin !== undefined
  const files = [...pagesOf(path, manifest), ...(isProgram ? ['bin'] : []), 'dist', 'src']

  expect(/^[A-Z].{20,}[^.]$/.test(manifest.description ?? ''), 'description: one line, without a full stop')
  expect((manifest.keywords ?? []).length >= 3, 'keywords: at least three')
  expect(same(manifest.keywords, manifest.keywords?.toSorted()), 'keywords: in the order of the alphabet')
  expect(manifest.license === root.license, `license: ${root.license}`)
  expect(manifest.type === 'module', 'type: module')
  expect(manifest.engines?.node === root.engines.node, `engines.node: ${root.engines.node}`)
  expect(same(manifest.files, files), `files: ${files.join(', ')}`)
  expect(manifest.publishConfig?.access === 'public', 'publishConfig.access: public')
  expect(manifest.publishConfig?.provenance === true, 'publishConfig.provenance: true')
  expect(manifest.exports?.['./package.json'] === './package.json', 'exports: ./package.json')
  const repository = root.repository && { ...root.repository, directory: folder }
  expect(same(manifest.repository, repository), `repository: ${JSON.stringify(repository)}`)
  // A program is not imported, so nothing can be left out of it.
  expect(isProgram || manifest.sideEffects === false, 'sideEffects: false')
  for (const [subpath, target] of Object.entries(manifest.exports ?? {})) {
    if (typeof target !== 'string')
      expect(isEntry(target), `exports["${subpath}"]: ${SOURCE}, types, default, of one module`)
  }
  return faults
}

/** Pages that its README links to. What is imported has a page of its surface. */
const pagesOf = (path, { bin }) => [
  ...(existsSync(join(path, 'GRAMMAR.md')) ? ['GRAMMAR.md'] : []),
  ...(bin === undefined ? ['api.md'] : []),
]

/** The order counts: whoever resolves takes the first condition that fits. */
function isEntry(target) {
  const module = /^\.\/src\/(.+)\.ts$/.exec(target[SOURCE])?.[1]
  const expected = [
    [SOURCE, `./src/${module}.ts`],
    ['types', `./dist/${module}.d.ts`],
    ['default', `./dist/${module}.js`],
  ]
  return module !== undefined && same(Object.entries(target), expected)
}

/** What is wrong with the files of an archive: what is not built from the sources should stay here, what is built should be there. */
export function archiveFaults({ path, manifest }, files) {
  const sources = filesBelow(join(path, 'src')).map((file) => `src/${file}`)
  // Nobody imports a program, so it has no declarations.
  const ends = manifest.bin === undefined ? ['.js', '.js.map', '.d.ts', '.d.ts.map'] : ['.js', '.js.map']
  const modules = sources.map((file) => file.replace(/^src/, 'dist').replace(/\.ts$/, ''))
  const built = modules.flatMap((module) => ends.map((end) => module + end))
  const programs = Object.values(manifest.bin ?? {})
  const expected = new Set([...ALWAYS, ...pagesOf(path, manifest), ...sources, ...built, ...programs])
  return [
    ...files.filter((file) => !expected.has(file)).map((file) => `${file} should not be published`),
    ...[...expected].filter((file) => !files.includes(file)).map((file) => `${file} is missing`),
  ]
}

const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b)
