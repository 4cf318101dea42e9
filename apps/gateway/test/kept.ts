/** What outlives a server: a store in memory that nobody closes, and one in a file, where SQLite is there. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'
import { build, isThere, needsIt } from '../../../packages/sqlite/test/built.ts'
import { memoryStorage, type Storage } from '../src/index.ts'
import { sqliteStorage } from '../src/sqlite-storage.ts'

export { build, isThere, needsIt }

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
  /** A new place; each call of what it gives opens it again. */
  place(): () => Promise<Storage>
}

export const inMemory: Kept = {
  place() {
    const storage = { ...memoryStorage(), close: async () => undefined }
    return async () => storage
  },
}

export const inFile: Kept = {
  place() {
    build('core', 'hub', 'sqlite')
    const file = join(folder(), 'runs.db')
    return async () => sqliteStorage(file)
  },
}

/** Builds the gateway, the command and all that they need, for what runs in processes of its own. */
export function buildAll(): void {
  const filters = ['--filter=@factwire/gateway', '--filter=factwire']
  const env = { ...process.env, TURBO_TELEMETRY_DISABLED: '1' }
  const turbo = join(root, 'node_modules', '.bin', 'turbo')
  const args = ['run', 'build', ...filters, '--output-logs=errors-only']
  const { status, stdout } = spawnSync(turbo, args, { cwd: root, env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`the gateway cannot be built: ${stdout}`)
}

/** Whether a program is there. */
export const has = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0

export const root = fileURLToPath(new URL('../../../', import.meta.url))
