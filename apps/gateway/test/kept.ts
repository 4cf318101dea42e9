/** What outlives a server: a store in memory that nobody closes, and one in a file, where SQLite is there. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'
import { build, isThere } from '../../../packages/sqlite/test/built.ts'
import { memoryStorage, type Storage } from '../src/index.ts'
import { sqliteStorage } from '../src/sqlite-storage.ts'

export { build, isThere }

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

export function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'factwire-gateway-'))
  folders.push(made)
  return made
}

export interface Kept {
  readonly title: string
  /** A new place; each call of what it gives opens it again. */
  place(): () => Promise<Storage>
}

const inMemory: Kept = {
  title: 'in memory',
  place() {
    const storage = { ...memoryStorage(), close: async () => undefined }
    return async () => storage
  },
}

const inFile: Kept = {
  title: 'in a file',
  place() {
    build('core', 'hub', 'sqlite')
    const file = join(folder(), 'runs.db')
    return async () => sqliteStorage(file)
  },
}

export const places: readonly Kept[] = isThere ? [inMemory, inFile] : [inMemory]
export const notInFile = isThere ? [] : ['NOT CHECKED: restarts with a file, without better-sqlite3']

/** Whether a program is there. */
export const has = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0

export const require = createRequire(import.meta.url)
export const root = fileURLToPath(new URL('../../../', import.meta.url))
