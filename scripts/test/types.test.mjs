import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { run } from '../release/run.mjs'
import { tryTypes } from '../release/types.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))
const compiler = join(root, 'node_modules/typescript/bin/tsc')
const tools = { compiler, node: (cwd, ...args) => run(process.execPath, args, { cwd, env: process.env }) }

let folder
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'factwire-types-'))
  link('platform')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** A project that has node's types. */
function link(project) {
  const place = join(folder, project, 'node_modules')
  mkdirSync(place, { recursive: true })
  symlinkSync(join(root, 'node_modules/@types'), join(place, '@types'), 'dir')
}

/** A project that has installed a package with these declarations. */
function project(name, declarations) {
  const place = join(folder, name, 'node_modules', name)
  mkdirSync(join(place, 'dist'), { recursive: true })
  const entry = { types: './dist/index.d.ts', default: './dist/index.js' }
  const manifest = { name, version: '1.0.0', type: 'module', exports: { '.': entry } }
  writeFileSync(join(place, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(place, 'dist/index.d.ts'), declarations)
  return {
    folder: join(folder, name),
    name,
    entries: [{ subpath: '.', specifier: name, types: './dist/index.d.ts' }],
  }
}

const tried = (alone, beside = []) => tryTypes({ alone, beside, folder: join(folder, 'platform'), tools })
const GOOD = 'export declare function answer(): Response;'

test('types that name web standards hold with either library', async () => {
  expect(await tried([project('a', GOOD), project('b', GOOD)])).toBe('nodenext and bundler, each with dom and node')
})

test.each([
  ['what only node has', 'export declare const a: Buffer;', `Cannot find name 'Buffer'`],
  ['a package that only the other project has', `export type { A } from 'a';`, `Cannot find module 'a'`],
  ['an import that only bundlers resolve', `export { a } from './more';`, 'Relative import paths need explicit file'],
])('types that name %s do not', async (_what, declarations, why) => {
  await expect(tried([project('a', GOOD), project('b', declarations)])).rejects.toThrow(why)
})

test('a package may not bring in what would help the others', async () => {
  link('a')
  const loud = project('a', `/// <reference types="node" />\nexport declare const a: Buffer;`)
  await expect(tried([loud, project('b', 'export declare const b: Buffer;')])).rejects.toThrow('types of a platform')
  const everywhere = project('c', `${GOOD}\ndeclare global { var d: 1; }`)
  await expect(tried([everywhere])).rejects.toThrow('declares what is not its own')
})
