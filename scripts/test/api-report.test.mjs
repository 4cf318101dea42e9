import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { apiReport, surfaceOf } from '../release/api-report.mjs'

let folder
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'factwire-api-'))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** What `index.d.ts` shows when it stands among these files. */
function surface(files) {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return surfaceOf(join(folder, 'index.d.ts'))
}

test('shows declarations through the modules that pass them on, values before types, in the order of their names', () => {
  const { exported } = surface({
    'index.d.ts': `export { b } from './passes.ts';\nexport type { A } from './a.ts';`,
    'passes.d.ts': `export { b } from './b.ts';`,
    'a.d.ts': `export interface A {\n    readonly id: string;\n}`,
    'b.d.ts': `export declare function b(id: string): void;`,
  })
  expect(exported).toEqual(['function b(id: string): void;', 'interface A {\n    readonly id: string;\n}'])
})

test('does not depend on where a declaration stands', () => {
  const one = surface({ 'index.d.ts': `export declare const a: 1;\nexport declare const b: 2;` })
  const other = surface({
    'index.d.ts': `import { b } from './b.ts';\nexport { b };\nexport { a } from './b.ts';`,
    'b.d.ts': `export declare const b: 2;\nexport declare const a: 1;`,
  })
  expect(other).toEqual(one)
})

test('shows what is named without being exported, however deep', () => {
  const { exported, named } = surface({
    'index.d.ts': `import type { Options } from './options.ts';\nexport declare const run: (options: Options) => void;`,
    'options.d.ts': `import type { Deep } from './deep.ts';\ninterface Base {\n    deep: Deep[];\n}\nexport interface Options extends Base {\n}`,
    'deep.d.ts': `export type Deep = typeof limit;\ndeclare const limit = 7;\nexport declare const unrelated: string;`,
  })
  expect(exported).toEqual(['const run: (options: Options) => void;'])
  expect(named).toEqual([
    'const limit = 7;',
    'interface Base {\n    deep: Deep[];\n}',
    'interface Options extends Base {\n}',
    'type Deep = typeof limit;',
  ])
})

test('does not take the name of a field or a parameter for a reference', () => {
  const { named } = surface({
    'index.d.ts': `declare const limit: 1;\nexport interface A {\n    limit: number;\n}\nexport declare function f(limit: A): void;`,
  })
  expect(named).toEqual([])
})

test('keeps overloads together, new names beside the old, and what is said of them', () => {
  const { exported } = surface({
    'index.d.ts': `/** One. */\nexport declare function f(a: 1): 1;\n/** Two. */\nexport declare function f(a: 2): 2;\nexport { g as h };\n/* not said */\ndeclare const g: {\n    /** Why. */\n    readonly a?: 1; // so\n};`,
  })
  expect(exported).toEqual([
    '/** One. */\nfunction f(a: 1): 1;\n/** Two. */\nfunction f(a: 2): 2;',
    'const g: {\n    /** Why. */\n    readonly a?: 1;\n};\nexport { g as h }',
  ])
})

test('names what is from elsewhere by where it is from', () => {
  const { exported, foreign } = surface({
    'index.d.ts': `import type { Fact } from 'core';\nimport fc from 'check';\nexport type { Peer } from 'peer';\nexport declare const f: (fact: Fact) => fc.Arbitrary<Fact>;`,
  })
  expect(exported[0]).toBe(`export { Peer } from 'peer'`)
  expect(foreign).toEqual([
    ['check', ['default']],
    ['core', ['Fact']],
  ])
})

test.each([
  [`export * from './a.ts';`, 'export by name'],
  [`declare const a: 1;\nexport default a;`, 'export by name'],
  [`export { gone } from './a.ts';`, 'does not export gone'],
])('refuses %j, which hides what is public', (text, why) => {
  expect(() => surface({ 'index.d.ts': text, 'a.d.ts': `export declare const a: 1;` })).toThrow(why)
})

test('a second entry prints only what the first has not printed', () => {
  writeFileSync(join(folder, 'index.d.ts'), `export interface A {\n    a: 1;\n}`)
  writeFileSync(join(folder, 'more.d.ts'), `import type { A } from './index.ts';\nexport declare const more: A;`)
  const entries = [
    { subpath: '.', types: 'index.d.ts' },
    { subpath: './more', types: 'more.d.ts' },
  ]
  const page = apiReport({ name: 'x', folder, entries })
  expect(page.match(/interface A/g)).toHaveLength(1)
  expect(page).toMatch(/## `\.\/more`\n\n```ts\nconst more: A;\n```\n$/)
})
