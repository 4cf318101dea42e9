import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { buildAll, isThere, needsIt, root } from './kept.ts'

beforeAll(buildAll, 300_000)

test('under a small load nobody misses anything, and what is held stays within its bounds', () => {
  const load = join(root, 'apps/gateway/dist/load/load.js')
  const small = ['--idle', '100', '--readers', '60', '--rate', '20', '--seconds', '2']
  const { status, stdout, stderr } = spawnSync(process.execPath, [load, ...small], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
  expect(stdout).toContain('readers with a gap: 0')
})

test.skipIf(!isThere)(
  `${needsIt}killed under a small load and started again, it shows every reader what was committed`,
  () => {
    const load = join(root, 'apps/gateway/dist/load/load.js')
    const small = ['--kill', '--idle', '50', '--readers', '30', '--rate', '20', '--seconds', '4']
    const { status, stdout, stderr } = spawnSync(process.execPath, [load, ...small], { encoding: 'utf8' })
    expect([status, stderr, stdout]).toEqual([0, '', expect.stringContaining('not show what was committed: 0\n')])
  },
  60_000,
)
