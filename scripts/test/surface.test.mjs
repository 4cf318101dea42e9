import { readFileSync, readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { changeOf, leastBump } from '../release/surface.mjs'

const fenced = (texts) => ['```ts', texts.join('\n\n'), '```'].join('\n')

/** A page as `npm run api` writes it: what is exported, and what that names. */
function page(exported, named = [], more = '') {
  const rest = named.length > 0 ? ['Named by these, but not exported:', fenced(named)] : []
  return `${['# A', '## `.`', fenced(exported), ...rest, more].filter(Boolean).join('\n\n')}\n`
}

const A = 'interface A {\n    readonly id: string;\n}'
const WIDER = 'interface A {\n    readonly id: string;\n    readonly name?: string;\n}'
const STRICTER = 'interface A {\n    readonly id: string;\n    readonly name: string;\n}'
const F = 'function f(a: A): void;'

// What became of a surface.
test.each([
  ['nothing', page([A, F]), page([A, F]), 'same'],
  [
    'what is said of it',
    page([`/** One. */\n${A}`]),
    page([A.replace('{', '{\n    /**\n     * Two.\n     */')]),
    'same',
  ],
  ['an order', page([A, F]), page([F, A]), 'same'],
  ['a new export', page([A]), page([A, F]), 'grown'],
  ['a new entry', page([A]), page([A], [], `## \`./more\`\n\n${fenced([F])}`), 'grown'],
  ['what was only named is exported', page([F], [A]), page([A, F]), 'grown'],
  ['a member that may be missing', page([A]), page([WIDER]), 'grown'],
  ['such a member of what is only named', page([F], [A]), page([F], [WIDER]), 'grown'],
  ['a member that may not be missing', page([A]), page([STRICTER]), 'changed'],
  ['a member is gone', page([WIDER]), page([A]), 'changed'],
  ['a member of what is only named is gone', page([F], [WIDER]), page([F], [A]), 'changed'],
  ['an export is gone', page([A, F]), page([A]), 'changed'],
  ['an export is only named now', page([A, F]), page([F], [A]), 'changed'],
  ['an export has another name', page([A]), page([`${A}\nexport { A as B }`]), 'changed'],
  ['an overload is gone', page([`${F}\n${F.replace('A)', 'B)')}`]), page([F]), 'changed'],
  ['an entry is gone', page([A], [], `## \`./more\`\n\n${fenced([F])}`), page([A, F]), 'changed'],
  ['what comes from elsewhere is gone', page([A, `export { B } from 'b'`]), page([A]), 'changed'],
])('%s', (_what, before, after, change) => {
  expect(changeOf(before, after)).toBe(change)
})

const packages = new URL('../../packages/', import.meta.url)
const pages = readdirSync(packages).map((name) => readFileSync(new URL(`${name}/api.md`, packages), 'utf8'))

test('in the pages of this repository no export can go unseen', () => {
  for (const text of pages) {
    expect(changeOf(text, text)).toBe('same')
    const blocks = text
      .trimEnd()
      .split('\n\n')
      .filter((block) => /^(?:```ts\n)?(?:\/\*\*|interface|type|const|function|class)/.test(block))
    expect(blocks.length).toBeGreaterThan(1)
    for (const block of blocks.filter((each) => !each.startsWith('```') && !each.endsWith('```'))) {
      expect(changeOf(text, text.replace(`${block}\n\n`, ''))).not.toBe('grown')
      expect(changeOf(text.replace(`${block}\n\n`, ''), text)).not.toBe('same')
    }
  }
})

test.each([
  ['grown', '0.2.3', 'minor'],
  ['grown', '1.2.3', 'minor'],
  ['changed', '0.2.3', 'minor'],
  ['changed', '1.2.3', 'major'],
])('%s after %s needs %s', (change, version, bump) => expect(leastBump(change, version)).toBe(bump))
