import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { differences, fingerprint } from '../release/fingerprint.mjs'
import { archiveFaults, manifestFaults } from '../release/manifest.mjs'
import { entriesOf, publicPackages } from '../release/packages.mjs'
import { sweep } from '../release/sweep.mjs'

let folder
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'factwire-archives-'))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function write(...paths) {
  for (const path of paths) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), path)
  }
}

const built = (module) => ['.js', '.js.map', '.d.ts', '.d.ts.map'].map((end) => `dist/${module}${end}`)

// ── What was published is what was built ──

test('the same files have the same fingerprint', () => {
  write('dist/a.js', 'dist/deep/b.js', 'README.md', 'test/c.js')
  const names = ['dist', 'README.md', 'LICENSE']
  expect(new Set(fingerprint(folder, names).keys())).toEqual(new Set(['README.md', 'dist/a.js', 'dist/deep/b.js']))
  expect(differences(fingerprint(folder, names), fingerprint(folder, names))).toEqual([])
})

test('one changed byte, one file less and one file more are told', () => {
  write('dist/a.js', 'dist/b.js')
  const before = fingerprint(folder, ['dist'])
  writeFileSync(join(folder, 'dist/a.js'), 'dist/a.jS')
  rmSync(join(folder, 'dist/b.js'))
  write('dist/c.js')
  expect(differences(before, fingerprint(folder, ['dist']))).toEqual([
    'dist/b.js is missing',
    'dist/c.js is one too many',
    'dist/a.js differs',
  ])
})

// ── What is in an archive ──

test('an archive holds the sources, what is built of them, and who it is', () => {
  write('src/a.ts', 'src/deep/b.ts')
  const pages = ['LICENSE', 'README.md', 'api.md']
  const whole = [...pages, 'package.json', 'src/a.ts', 'src/deep/b.ts', ...built('a'), ...built('deep/b')]
  const each = { path: folder, manifest: {} }
  expect(archiveFaults(each, whole)).toEqual([])
  expect(archiveFaults(each, [...whole, 'dist/.tsbuildinfo'])).toEqual(['dist/.tsbuildinfo should not be published'])
  expect(archiveFaults(each, whole.slice(1, -1))).toEqual(['LICENSE is missing', 'dist/deep/b.d.ts.map is missing'])
})

test('a program is published without declarations', () => {
  write('src/main.ts')
  const each = { path: folder, manifest: { bin: { a: 'bin/a.js' } } }
  const whole = ['LICENSE', 'README.md', 'package.json', 'src/main.ts', 'dist/main.js', 'dist/main.js.map', 'bin/a.js']
  expect(archiveFaults(each, whole)).toEqual([])
})

test('what an earlier build left of a module that is gone is removed, and nothing else', () => {
  write('src/a.ts', 'src/deep/b.ts', ...built('a'), ...built('deep/b'), ...built('gone'), 'dist/notes.txt')
  expect(sweep(folder).toSorted()).toEqual(built('gone').toSorted())
  expect(
    [...built('a'), ...built('deep/b'), 'dist/notes.txt'].filter((file) => !existsSync(join(folder, file))),
  ).toEqual([])
  expect(sweep(folder)).toEqual([])
})

// ── What a package says of itself ──

const workspace = { license: 'MIT', engines: { node: '>=20.19' } }
const good = {
  name: '@x/a',
  description: 'Something that is worth a whole line',
  keywords: ['a', 'b', 'c'],
  license: 'MIT',
  type: 'module',
  sideEffects: false,
  files: ['api.md', 'dist', 'src'],
  exports: {
    '.': { '@factwire/source': './src/index.ts', types: './dist/index.d.ts', default: './dist/index.js' },
    './package.json': './package.json',
  },
  publishConfig: { access: 'public', provenance: true },
  engines: { node: '>=20.19' },
}

test('a whole manifest has no fault', () =>
  expect(manifestFaults({ path: folder, manifest: good }, workspace)).toEqual([]))

test.each(Object.keys(good).filter((key) => key !== 'name'))('a manifest without %s is not whole', (key) => {
  const faults = manifestFaults({ path: folder, manifest: { ...good, [key]: undefined } }, workspace)
  expect(faults.join()).toContain(key)
})

test('pages that a README links to are in the archive', () => {
  write('GRAMMAR.md')
  expect(manifestFaults({ path: folder, manifest: good }, workspace)).toEqual(['files: GRAMMAR.md, api.md, dist, src'])
  const files = ['GRAMMAR.md', 'api.md', 'dist', 'src']
  expect(manifestFaults({ path: folder, manifest: { ...good, files } }, workspace)).toEqual([])
})

test('the conditions of an entry have an order, and name one module', () => {
  const [source, types, script] = Object.entries(good.exports['.'])
  const other = ['default', './dist/other.js']
  for (const entry of [
    [types, source, script],
    [source, script, types],
    [source, types, other],
    [types, script],
  ]) {
    const exports = { ...good.exports, '.': Object.fromEntries(entry) }
    expect(manifestFaults({ path: folder, manifest: { ...good, exports } }, workspace)).toHaveLength(1)
  }
})

test('a package is found in the repository of the workspace, in its folder', () => {
  const repository = { type: 'git', url: 'git+https://example.org/x.git' }
  const faultsWith = (given) =>
    manifestFaults(
      { path: folder, manifest: { ...good, repository: given }, folder: 'packages/a' },
      { ...workspace, repository },
    )
  expect(faultsWith({ ...repository, directory: 'packages/a' })).toEqual([])
  expect(faultsWith(repository)).toHaveLength(1)
  expect(faultsWith(undefined)).toHaveLength(1)
  expect(
    manifestFaults({ path: folder, manifest: { ...good, repository }, folder: 'packages/a' }, workspace),
  ).toHaveLength(1)
})

// ── Which packages ──

test('every folder of packages and apps that is not private is published', () => {
  mkdirSync(join(folder, 'apps/empty'), { recursive: true })
  for (const [path, manifest] of Object.entries({
    'packages/b': good,
    'packages/c': { name: 'c', private: true },
    'apps/a': { name: 'a', bin: {}, exports: { './package.json': './package.json' } },
  })) {
    mkdirSync(join(folder, path), { recursive: true })
    writeFileSync(join(folder, path, 'package.json'), JSON.stringify(manifest))
  }
  const [scoped, program, ...more] = publicPackages(folder)
  expect(more).toEqual([])
  expect([scoped.folder, program.folder]).toEqual(['packages/b', 'apps/a'])
  expect(entriesOf(scoped).map(({ specifier }) => specifier)).toEqual(['@x/a'])
  expect(entriesOf(program)).toEqual([])
})
