import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

/** The files under a folder, from the root; nothing that is built or installed. */
function filesIn(folder: string, ending: string): string[] {
  const found = readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
  return found
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => join(relative(root, entry.parentPath), entry.name))
    .filter((path) => !/(?:^|\/)(?:node_modules|dist|golden)\//.test(path))
}

const foldersOf = (parent: string): string[] => readdirSync(join(root, parent)).map((name) => `${parent}/${name}`)
const guides = filesIn('docs', '.md')
const readmes = [...foldersOf('packages'), ...foldersOf('apps')].flatMap((folder) =>
  readdirSync(join(root, folder)).includes('README.md') ? [`${folder}/README.md`] : [],
)
const pages = ['README.md', 'CONTRIBUTING.md', 'AGENTS.md', 'SECURITY.md', ...guides, ...readmes]

const blocks = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, code = '']) => code)

// ── Code ──

const snippets = filesIn('apps/examples/src/pages', '.ts')
const compiled = new Set(
  [...filesIn('apps/demo/src/examples', '.ts'), ...filesIn('apps/examples/src', '.ts')].map((path) => read(path)),
)

test.each([...guides, 'README.md', ...readmes])('%s shows only code that is compiled', (page) => {
  const own = page.startsWith('packages/') ? filesIn(`${dirname(page)}/test`, '.ts').map(read) : []
  const strangers = blocks(read(page), 'ts').filter((code) => !compiled.has(code) && !own.includes(code))
  expect(strangers).toEqual([])
})

test.each(snippets)('%s is shown on a page', (path) => {
  expect(pages.filter((page) => blocks(read(page), 'ts').includes(read(path)))).toHaveLength(1)
})

test.each(pages)('%s shows only JSON that can be read', (page) => {
  for (const code of blocks(read(page), 'json')) expect(() => void JSON.parse(code)).not.toThrow()
})

// ── Links ──

const exists = (path: string): boolean => {
  try {
    readdirSync(join(root, dirname(path)))
    return readdirSync(join(root, dirname(path))).includes(path.split('/').at(-1) ?? '')
  } catch {
    return false
  }
}

test.each(pages)('%s links to what is there', (page) => {
  const targets = [...read(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)[^)]*\)/g)].map(([, target = '']) => target)
  expect(targets.filter((target) => !exists(join(dirname(page), target)))).toEqual([])
})

test('every guide can be reached from the README', () => {
  const reached = new Set(['README.md'])
  for (const page of reached) {
    for (const [, target = ''] of read(page).matchAll(/\]\((?!https?:|#)([^)#\s]+\.md)/g)) {
      reached.add(join(dirname(page), target))
    }
  }
  expect(guides.filter((page) => !page.startsWith('docs/decisions/') && !reached.has(page))).toEqual([])
})

test.each(guides)('%s is short', (page) => {
  expect(read(page).split('\n').length).toBeLessThanOrEqual(81)
})

// ── What pages list ──

/** What a page says in the first column of its tables. */
const firstCells = (page: string): string[] =>
  [...read(page).matchAll(/^\| `([a-z_]+)` /gm)].map(([, code = '']) => code)

/** The members of a union of strings, as its source has them. */
function members(path: string, union: string): string[] {
  const [, body = ''] = new RegExp(`export type ${union} =\\n((?:.+\\n)+)`).exec(read(path)) ?? []
  return [...body.matchAll(/\| '(\w+)'/g)].map(([, code = '']) => code)
}

test('the page on errors names every code there is, and no other', () => {
  const failures = members('packages/core/src/protocol.ts', 'StreamFailureCode')
  const errors = members('packages/core/src/error.ts', 'ErrorCode')
  expect(failures.length).toBeGreaterThan(3)
  expect(errors.length).toBeGreaterThan(3)
  expect(firstCells('docs/errors.md')).toEqual([...failures, ...errors])
})

test('the page on Awaken names every kind of event of its wire', () => {
  const kinds = [...read('packages/sse/src/wire.ts').matchAll(/event_type: '(\w+)'/g)].map(([, kind = '']) => kind)
  const page = read('docs/from-awaken.md')
  expect(kinds).toHaveLength(22)
  expect(
    kinds.filter((kind) => !page.includes(`\`${kind}\``) && !page.includes(`\`${kind.split('_')[0]}_*\``)),
  ).toEqual([])
})

/** What stands in code marks in the first cells of tables of options. */
function options(page: string): string[] {
  const tables = [...read(page).matchAll(/^\| option [^\n]*\n\|[-| ]+\n((?:\|.*\n)+)/gm)].map(([, rows = '']) => rows)
  const cells = tables.flatMap((rows) => [...rows.matchAll(/^\|([^|]+)\|/gm)].map(([, cell = '']) => cell))
  return cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name))
}

const declared = new Set(
  foldersOf('packages')
    .flatMap((folder) => filesIn(`${folder}/src`, '.ts'))
    .flatMap((path) =>
      [...read(path).matchAll(/(?:readonly |function\*? )(\w+)\??[:(<]/g)].map(([, name = '']) => name),
    ),
)

test('READMEs name only options that there are', () => {
  const named = readmes.flatMap(options)
  expect(named.length).toBeGreaterThan(30)
  expect(named.filter((name) => !declared.has(name))).toEqual([])
})
