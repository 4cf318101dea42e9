/** What runs in other threads and processes runs as it is built. Tests see to it that the build is that of the sources. */
import { spawnSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Whether better-sqlite3 can be loaded, in a process of its own. */
export const isThere = ((): boolean => {
  const near = createRequire(fileURLToPath(new URL('../package.json', import.meta.url)))
  try {
    const code = `new (require(${JSON.stringify(near.resolve('better-sqlite3'))}))(':memory:').close()`
    return spawnSync(process.execPath, ['-e', code], { stdio: 'ignore' }).status === 0
  } catch {
    return false
  }
})()

/** Beginning of the title of a test that needs it. */
export const needsIt = isThere ? '' : 'NOT CHECKED: without better-sqlite3 (node scripts/sqlite.mjs compiles it): '

const newest = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((latest, { parentPath, name }) => Math.max(latest, statSync(`${parentPath}/${name}`).mtimeMs), 0)

const isStale = (folder: string): boolean => {
  try {
    return newest(`${folder}/src`) > newest(`${folder}/dist`)
  } catch {
    return true
  }
}

/** Builds these packages where they are not as their sources are. */
export function build(...packages: readonly string[]): void {
  for (const name of packages) {
    const folder = `${root}packages/${name}`
    if (!isStale(folder)) continue
    const { status, stdout } = spawnSync(`${root}node_modules/.bin/tsc`, { cwd: folder, encoding: 'utf8' })
    if (status !== 0) throw new Error(`packages/${name} cannot be built: ${stdout}`)
  }
}
