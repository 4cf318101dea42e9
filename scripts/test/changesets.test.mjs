import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { announced, announcement } from '../release/changesets.mjs'

const PAGE = 'api.md'
let root
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'factwire-changesets-'))
  mkdirSync(join(root, '.changeset'))
  git('init', '--quiet')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function git(...args) {
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.org', '-c', 'commit.gpgsign=false']
  execFileSync('git', [...who, ...args], { cwd: root, stdio: 'ignore' })
}

const page = (...declarations) => `# A\n\n## \`.\`\n\n\`\`\`ts\n${declarations.join('\n\n')}\n\`\`\`\n`
const ONE = page('const one: 1;')
const GROWN = page('const one: 1;', 'const two: 2;')
const OTHER = page('const one: 2;')

function commit(text, tag) {
  writeFileSync(join(root, PAGE), text)
  git('add', PAGE)
  git('commit', '--quiet', '--allow-empty', '-m', 'x')
  if (tag) git('tag', '-a', tag, '-m', tag)
}

const changeset = (text, name = 'brave-cats') => writeFileSync(join(root, '.changeset', `${name}.md`), text)
const tell = (bump, name) => changeset(`---\n'@x/a': ${bump}\n---\n`, name)
const standing = (version) => announcement({ root, name: '@x/a', version, file: PAGE })

test('reads whom the changesets release', () => {
  changeset(`---\n'@x/a': minor\n"@x/b": patch\nc: major\n'@x/d': none\n---\n\nWhat is: new.\n`)
  expect(Object.fromEntries(announced(root))).toEqual({ '@x/a': 'minor', '@x/b': 'patch', c: 'major' })
})

test('of several changesets the one that says most counts', () => {
  tell('minor', 'b')
  tell('patch', 'a')
  tell('patch', 'c')
  expect(announced(root).get('@x/a')).toBe('minor')
})

test('a surface that is as released needs nothing', () => {
  commit(ONE, '@x/a@1.0.0')
  expect(standing('1.0.0')).toEqual({ standing: 'same' })
})

test('a surface that has grown needs a changeset of its own package', () => {
  commit(ONE, '@x/a@1.0.0')
  commit(GROWN)
  expect(standing('1.0.0')).toEqual({ standing: 'short', change: 'grown', told: 'no', needs: 'minor' })
  changeset(`---\n'@x/b': minor\n---\n`)
  expect(standing('1.0.0').standing).toBe('short')
  tell('minor')
  expect(standing('1.0.0')).toEqual({ standing: 'announced' })
})

test('a new export is no patch', () => {
  commit(ONE, '@x/a@1.0.0')
  commit(GROWN)
  tell('patch')
  expect(standing('1.0.0')).toEqual({ standing: 'short', change: 'grown', told: 'patch', needs: 'minor' })
})

test.each(['1.4.2', '12.0.0'])('what changes after %s needs a major', (version) => {
  commit(ONE, `@x/a@${version}`)
  commit(OTHER)
  tell('minor')
  expect(standing(version)).toEqual({ standing: 'short', change: 'changed', told: 'minor', needs: 'major' })
  tell('major')
  expect(standing(version)).toEqual({ standing: 'announced' })
})

test('what changes before 1.0.0 needs a minor', () => {
  commit(ONE, '@x/a@0.3.1')
  commit(OTHER)
  tell('patch')
  expect(standing('0.3.1')).toMatchObject({ standing: 'short', change: 'changed', needs: 'minor' })
  tell('minor')
  expect(standing('0.3.1')).toEqual({ standing: 'announced' })
})

test('a version that is made and not yet released has told its users as much as it says', () => {
  commit(ONE, '@x/a@1.0.0')
  commit(GROWN)
  expect(standing('1.1.0')).toEqual({ standing: 'announced' })
  expect(standing('1.0.1')).toEqual({ standing: 'short', change: 'grown', told: 'patch', needs: 'minor' })
})

test('the newest release counts, not the one that sorts last as text', () => {
  commit(ONE, '@x/a@1.9.0')
  commit(GROWN, '@x/a@1.10.0')
  expect(standing('1.10.0')).toEqual({ standing: 'same' })
})

test('before the first release a surface needs a changeset too', () => {
  commit(ONE)
  expect(standing('0.0.0')).toEqual({ standing: 'short', change: 'new', told: 'no', needs: 'minor' })
  expect(standing('0.1.0')).toEqual({ standing: 'announced' })
})
