// Which packages of this workspace are published, found by folder.
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** `{ name, folder, path, manifest }` of each, in the order of their names. `folder` is relative to the root. */
export function publicPackages(root) {
  return ['packages', 'apps']
    .flatMap((parent) => readdirSync(join(root, parent)).map((name) => `${parent}/${name}`))
    .filter((folder) => existsSync(join(root, folder, 'package.json')))
    .map((folder) => {
      const path = join(root, folder)
      const manifest = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))
      return { name: manifest.name, folder, path, manifest }
    })
    .filter(({ manifest }) => manifest.private !== true)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** What can be imported: `{ subpath, specifier, types, source }`. A file that is served as it stands is no such entry. */
export function entriesOf({ name, manifest }) {
  return Object.entries(manifest.exports ?? {}).flatMap(([subpath, target]) =>
    typeof target === 'string'
      ? []
      : [{ subpath, specifier: name + subpath.slice(1), types: target.types, source: target['@factwire/source'] }],
  )
}
