/** The folder that runs are kept in: made where there is none. */
import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Step by step: node's own recursive way never comes back where the system says that a place can be none. @throws Error */
export function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  const above = dirname(path)
  if (above !== path) makeFolder(above)
  mkdirSync(path, { mode: 0o700 })
}
