import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { eventLines, sample } from './sample.ts'

const bin = fileURLToPath(new URL('../bin/factwire.js', import.meta.url))
const built = ['../dist/main.js', '../../../packages/sse/dist/index.js'].every((path) =>
  existsSync(new URL(path, import.meta.url)),
)

test.skipIf(!built)('runs as a program, from anywhere (needs a build)', () => {
  const argv = [bin, 'transcode', '--from', 'events', '--to', 'sse', '-']
  const good = spawnSync(process.execPath, argv, { cwd: tmpdir(), input: eventLines(sample), encoding: 'utf8' })
  expect(good).toMatchObject({ status: 0, stderr: '' })
  expect(good.stdout).toMatch(/"termination":\{"type":"natural_end"\}\}\n\n$/)
  const bad = spawnSync(process.execPath, argv, { cwd: tmpdir(), input: 'no\n', encoding: 'utf8' })
  expect(bad.status).toBe(1)
})

test.skipIf(!built)('ends although its input stays open (needs a build)', async () => {
  const child = spawn(process.execPath, [bin, 'inspect'], { cwd: tmpdir(), stdio: ['pipe', 'ignore', 'ignore'] })
  child.stdin.write('hello\n')
  expect(await once(child, 'exit')).toEqual([2, null])
})
