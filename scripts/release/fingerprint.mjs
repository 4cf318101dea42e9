// The files of a package by what is in them.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'

/** The hash of every file that `names`, files or folders of `root`, stand for. */
export function fingerprint(root, names) {
  const hashes = new Map()
  for (const name of names) {
    const path = join(root, name)
    if (!existsSync(path)) continue
    const files = statSync(path).isDirectory()
      ? readdirSync(path, { recursive: true }).map((file) => join(name, file))
      : [name]
    for (const file of files) {
      if (statSync(join(root, file)).isDirectory()) continue
      const hash = createHash('sha256').update(readFileSync(join(root, file)))
      hashes.set(file.replaceAll(sep, '/'), hash.digest('hex'))
    }
  }
  return hashes
}

/** What is not alike, in words. */
export function differences(expected, found) {
  return [
    ...[...expected.keys()].filter((file) => !found.has(file)).map((file) => `${file} is missing`),
    ...[...found.keys()].filter((file) => !expected.has(file)).map((file) => `${file} is one too many`),
    ...[...expected]
      .filter(([file, hash]) => found.has(file) && found.get(file) !== hash)
      .map(([file]) => `${file} differs`),
  ]
}
