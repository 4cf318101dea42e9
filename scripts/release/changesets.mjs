// Whether a change of a package's public surface is announced to its users as what it is: by a changeset that is not yet released, or by
// a version that is newer than what was released last.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { changeOf, leastBump } from './surface.mjs'
import { bumpOf, lesser } from './versions.mjs'

/** What the changesets say of each package that they release: the most of `patch`, `minor`, `major`. */
export function announced(root) {
  const folder = join(root, '.changeset')
  const texts = readdirSync(folder)
    .filter((file) => file.endsWith('.md') && file !== 'README.md')
    .map((file) => readFileSync(join(folder, file), 'utf8'))
  const told = new Map()
  for (const [name, bump] of texts.flatMap(releasesOf)) if (lesser(told.get(name) ?? 'no', bump)) told.set(name, bump)
  return told
}

function releasesOf(text) {
  const front = /^---\n([\s\S]*?)^---$/m.exec(text)?.[1] ?? ''
  const lines = [...front.matchAll(/^\s*(['"]?)(?<name>[^'"\s]+)\1:\s*(?<bump>\w+)\s*$/gm)]
  return lines.flatMap(({ groups }) => (groups.bump === 'none' ? [] : [[groups.name, groups.bump]]))
}

/**
 * How the surface `file` stands to the package's last release, as `{ standing }`: `same`, `announced`, `unknown` where the history is
 * cut off, or `short` where its users are told less than there is: `change` is what there is, `told` what they hear, `needs` the least.
 */
export function announcement({ root, name, version, file, told = announced(root) }) {
  const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' })
  const tags = git('tag', '--list', `${name}@*`, '--sort=-version:refname', '--merged', 'HEAD').stdout.split('\n')
  const [last] = tags.filter(Boolean)
  const bump = told.get(name) ?? 'no'
  if (last === undefined) {
    if (git('rev-parse', '--is-shallow-repository').stdout.trim() !== 'false') return { standing: 'unknown' }
    // Nothing is released. The first version has been made out of its changesets and waits for its release.
    if (bump !== 'no' || version !== '0.0.0') return { standing: 'announced' }
    return { standing: 'short', change: 'new', told: bump, needs: 'minor' }
  }
  const released = last.slice(name.length + 1)
  const before = git('show', `${last}:${file}`).stdout
  const now = existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : ''
  const change = changeOf(before, now)
  if (change === 'same') return { standing: 'same' }
  const needs = leastBump(change, released)
  const made = bumpOf(released, version)
  const most = lesser(made, bump) ? bump : made
  return lesser(most, needs) ? { standing: 'short', change, told: most, needs } : { standing: 'announced' }
}
