// The archives of packages, as they would be published.
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Packs them into `folder`, an absolute path, and gives by name where the archive of each is. */
export function pack({ root, packages, folder }) {
  const filters = packages.flatMap(({ name }) => ['--filter', name])
  const args = ['--recursive', ...filters, 'pack', '--pack-destination', folder]
  const { status, stdout, stderr, error } = spawnSync('pnpm', args, { cwd: root, encoding: 'utf8' })
  if (error) throw error
  if (status !== 0) throw new Error(`pnpm pack failed\n${stdout}${stderr}`)
  const found = new Set(readdirSync(folder))
  return new Map(
    packages.map(({ name, manifest }) => {
      const file = `${name.replace('@', '').replace('/', '-')}-${manifest.version}.tgz`
      if (!found.has(file)) throw new Error(`${name} was not packed: there is no ${file}`)
      return [name, join(folder, file)]
    }),
  )
}
