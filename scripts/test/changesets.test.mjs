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

function commit(page, tag) {
  writeFileSync(join(root, PAGE), page)
  git('add', PAGE)
  git('commit', '--quiet', '--allow-empty', '-m', 'x')
  if (tag) git('tag', '-a', tag, '-m', tag)
}

const changeset = (text) => writeFileSync(join(root, '.changeset', 'brave-cats.md'), text)
const standing = (version) => announcement({ root, name: '@x/a', version, file: PAGE })

test('reads whom the changesets release', () => {
  changeset(`---\n'@x/a': minor\n"@x/b": patch\nc: major\n'@x/d': none\n---\n\nWhat is: new.\n`)
  expect([...announced(root)]).toEqual(['@x/a', '@x/b', 'c'])
})

test('a surface that is as released needs nothing', () => {
  commit('one', '@x/a@1.0.0')
  expect(standing('1.0.0')).toBe('same')
})

test('a surface that changed needs a changeset of its own package', () => {
  commit('one', '@x/a@1.0.0')
  commit('two')
  expect(standing('1.0.0')).toBe('silent')
  changeset(`---\n'@x/b': minor\n---\n`)
  expect(standing('1.0.0')).toBe('silent')
  changeset(`---\n'@x/a': minor\n---\n`)
  expect(standing('1.0.0')).toBe('announced')
})

test('a version that is made and not yet released has told its users', () => {
  commit('one', '@x/a@1.0.0')
  commit('two')
  expect(standing('1.1.0')).toBe('announced')
})

test('the newest release counts, not the one that sorts last as text', () => {
  commit('one', '@x/a@1.9.0')
  commit('two', '@x/a@1.10.0')
  expect(standing('1.10.0')).toBe('same')
})

test('before the first release a surface needs a changeset too', () => {
  commit('one')
  expect(standing('0.0.0')).toBe('silent')
  expect(standing('0.1.0')).toBe('announced')
})
