import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { entriesOf, publicPackages } from '../release/packages.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))
const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], { cwd: root })
// What is recorded is somebody else's, and the template is no package yet.
const pages = `${listed}`
  .split('\n')
  .filter((path) => path && !/\/golden\/|^templates\//.test(path) && existsSync(root + path))

/** Where the links of a page lead, within the repository. */
const linksOf = (path) =>
  [...readFileSync(root + path, 'utf8').matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target)
    .filter((target) => !/^[a-z]+:/.test(target))

test.each(pages)('the links of %s lead somewhere', (path) => {
  const broken = linksOf(path).filter((target) => {
    const [file, heading] = target.split('#')
    const place = file === '' ? path : join(dirname(path), file)
    if (!existsSync(root + place)) return true
    return heading !== undefined && !headingsOf(place).includes(heading)
  })
  expect(broken).toEqual([])
})

const headingsOf = (path) =>
  [...readFileSync(root + path, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, text]) =>
    text
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )

test.each(publicPackages(root))('whoever reads the README of $name finds what else there is', (each) => {
  const { folder } = each
  const pages = entriesOf(each).length > 0 ? ['api.md', 'GRAMMAR.md'] : ['GRAMMAR.md']
  const there = pages.filter((page) => page === 'api.md' || existsSync(`${root}${folder}/${page}`))
  expect(linksOf(`${folder}/README.md`)).toEqual(expect.arrayContaining(there))
})
