// Whether a change of a package's public surface is announced to its users: by a changeset that is not yet released, or by a version that
// is newer than what was released last.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Names of the packages that some changeset releases. */
export function announced(root) {
  const folder = join(root, '.changeset')
  const texts = readdirSync(folder)
    .filter((file) => file.endsWith('.md') && file !== 'README.md')
    .map((file) => readFileSync(join(folder, file), 'utf8'))
  return new Set(texts.flatMap(releasesOf))
}

function releasesOf(text) {
  const front = /^---\n([\s\S]*?)^---$/m.exec(text)?.[1] ?? ''
  const lines = [...front.matchAll(/^\s*(['"]?)(?<name>[^'"\s]+)\1:\s*(?<bump>\w+)\s*$/gm)]
  return lines.flatMap(({ groups }) => (groups.bump === 'none' ? [] : groups.name))
}

/**
 * How the surface `file` stands to the package's last release: `same`, `announced`, `silent` (it changed, or is new, and nobody is
 * told), or `unknown` where the history is cut off.
 */
export function announcement({ root, name, version, file, told = announced(root) }) {
  if (told.has(name)) return 'announced'
  const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' })
  const tags = git('tag', '--list', `${name}@*`, '--sort=-version:refname', '--merged', 'HEAD').stdout.split('\n')
  const [last] = tags.filter(Boolean)
  if (last === undefined) {
    if (git('rev-parse', '--is-shallow-repository').stdout.trim() !== 'false') return 'unknown'
    // Nothing is released. The first version has been made out of its changesets and waits for its release.
    return version === '0.0.0' ? 'silent' : 'announced'
  }
  if (last !== `${name}@${version}`) return 'announced'
  const released = git('show', `${last}:${file}`)
  const now = existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : ''
  return released.status === 0 && released.stdout === now ? 'same' : 'silent'
}
