import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { entriesOf, publicPackages } from '../release/packages.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))

test.each(publicPackages(root))('whoever reads the README of $name finds what else there is', (each) => {
  const { folder, path } = each
  const links = [...readFileSync(`${path}/README.md`, 'utf8').matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target)
  const pages = ['GRAMMAR.md', ...(entriesOf(each).length > 0 ? ['api.md'] : [])]
  const there = pages.filter((page) => page === 'api.md' || existsSync(`${root}${folder}/${page}`))
  expect(links).toEqual(expect.arrayContaining(there))
})
