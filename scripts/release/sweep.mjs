// Removes what an earlier build left in `dist` of a module that is gone: the compiler does not, and it would be published.
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const BUILT = /\.(?:d\.ts|js)(?:\.map)?$/

/** Gives the removed files, relative to the package. */
export function sweep(path) {
  const dist = join(path, 'dist')
  if (!existsSync(dist)) return []
  const stale = readdirSync(dist, { recursive: true }).filter(
    (file) => BUILT.test(file) && !existsSync(join(path, 'src', file.replace(BUILT, '.ts'))),
  )
  for (const file of stale) rmSync(join(dist, file))
  return stale.map((file) => join('dist', file))
}
