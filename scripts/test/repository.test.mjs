import { expect, test } from 'vitest'
import { repositoryOf, withRepository } from '../release/repository.mjs'

const manifest = { name: 'x', license: 'MIT', files: ['dist'] }
const repository = { type: 'git', url: 'git+https://example.org/a/b.git' }

test.each(['https://example.org/a/b', 'https://example.org/a/b.git', 'git+https://example.org/a/b.git'])(
  '%s is the address of a repository',
  (address) => expect(repositoryOf(address)).toEqual(repository),
)

test.each(['', 'a/b', 'https://example.org', 'ssh://example.org/a/b', 'https://example.org/a b'])(
  '"%s" is none',
  (address) => expect(() => repositoryOf(address)).toThrow('is no address of a repository'),
)

test('a package says in which folder of it it stands, after its licence', () => {
  const told = withRepository(manifest, repository, 'packages/x')
  expect(told).toEqual({ ...manifest, repository: { ...repository, directory: 'packages/x' } })
  expect(Object.keys(told)).toEqual(['name', 'license', 'repository', 'files'])
  expect(withRepository(told, repository, 'packages/x')).toEqual(told)
})

test('the root has no folder, and nothing is told while nothing is known', () => {
  expect(withRepository(manifest, repository, '.').repository).toEqual(repository)
  expect(withRepository(manifest, undefined, 'packages/x')).toEqual(manifest)
})
