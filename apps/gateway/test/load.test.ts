import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { buildAll, root } from './kept.ts'

beforeAll(buildAll, 300_000)

test('under a small load nobody misses anything, and what is held stays within its bounds', () => {
  const load = join(root, 'apps/gateway/dist/load/load.js')
  const small = ['--idle', '100', '--readers', '60', '--rate', '20', '--seconds', '2']
  const { status, stdout, stderr } = spawnSync(process.execPath, [load, ...small], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
  expect(stdout).toContain('readers with a gap: 0')
})
