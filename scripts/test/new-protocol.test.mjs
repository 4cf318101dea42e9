import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const script = fileURLToPath(new URL('../new-protocol.mjs', import.meta.url))
const packages = fileURLToPath(new URL('../../packages/', import.meta.url))

const make = (...args) => spawnSync(process.execPath, [script, '--no-install', ...args], { encoding: 'utf8' })

test.each(['Gamma', 'gamma_wire', '-gamma', 'gamma--wire', '../gamma', 'gamma/wire', '7gamma', 'g'.repeat(41)])(
  'refuses the name %s, and makes nothing',
  (name) => {
    const { status, stderr } = make('--', name)
    expect(status).toBe(2)
    expect(stderr).toContain(`"${name}" is no name for a wire`)
    expect(existsSync(packages + name)).toBe(false)
  },
)

test.each(['class', 'grammar', 'subject'])('refuses the name %s, which means something in code', (name) => {
  const { status, stderr } = make(name)
  expect(status).toBe(2)
  expect(stderr).toContain(`"${name}" means something else already`)
  expect(existsSync(packages + name)).toBe(false)
})

test('refuses a folder that is there', () => {
  const { status, stderr } = make('core')
  expect(status).toBe(2)
  expect(stderr).toContain('packages/core exists already')
})

test('asks for one name', () => {
  expect(make().stderr).toContain('Give one name')
  expect(make('gamma', 'delta').stderr).toContain('Give one name')
})
