import { expect, test } from 'vitest'
import { afterRelease, bumpOf, bumped, caretTakes } from '../release/versions.mjs'

test.each([
  ['0.1.0', '0.1.1', 'patch'],
  ['0.1.9', '0.2.0', 'minor'],
  ['0.9.9', '1.0.0', 'major'],
  ['1.9.9', '2.0.0', 'major'],
  ['1.0.0-next.1', '1.0.0', 'patch'],
  ['1.0.0', '1.0.0', 'no'],
  ['1.1.0', '1.0.9', 'no'],
])('from %s to %s it is %s', (before, after, bump) => expect(bumpOf(before, after)).toBe(bump))

test.each(['patch', 'minor', 'major'])('a %s is read back as one', (bump) => {
  for (const version of ['0.0.0', '0.3.4', '2.3.4']) expect(bumpOf(version, bumped(version, bump))).toBe(bump)
})

test.each([
  ['1.2.3', '1.2.3', true],
  ['1.2.3', '1.9.0', true],
  ['1.2.3', '1.2.2', false],
  ['1.2.3', '2.0.0', false],
  ['0.2.3', '0.2.9', true],
  ['0.2.3', '0.3.0', false],
  ['0.0.3', '0.0.4', false],
])('^%s and %s: %s', (from, version, takes) => expect(caretTakes(from, version)).toBe(takes))

// `tool` depends on `wire`, which depends on `core`, as `other` does.
const packages = (version) =>
  Object.entries({ core: [], other: ['core'], tool: ['wire', 'core'], wire: ['core'] }).map(([name, needed]) => ({
    name,
    manifest: { version, dependencies: Object.fromEntries(needed.map((each) => [each, 'workspace:^'])) },
  }))
const after = (name, bump, version) => Object.fromEntries(afterRelease(name, bump, packages(version)))

test('a minor before 1.0.0 moves those who depend on it, and nobody else', () => {
  expect(after('wire', 'minor', '0.1.0')).toEqual({ core: '0.1.0', other: '0.1.0', tool: '0.1.1', wire: '0.2.0' })
  expect(after('core', 'minor', '0.1.0')).toEqual({ core: '0.2.0', other: '0.1.1', tool: '0.1.1', wire: '0.1.1' })
})

test('what the ranges take moves nobody', () => {
  expect(after('core', 'patch', '0.1.0')).toEqual({ core: '0.1.1', other: '0.1.0', tool: '0.1.0', wire: '0.1.0' })
  expect(after('core', 'minor', '1.0.0')).toEqual({ core: '1.1.0', other: '1.0.0', tool: '1.0.0', wire: '1.0.0' })
})
