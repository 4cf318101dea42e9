import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cli } from './cli.ts'
import { newFolder } from './folder.ts'
import { eventLines, sample } from './sample.ts'

/** A folder where somebody installed the wire `shout`, and a package that breaks when it is loaded. */
function project(): string {
  const cwd = newFolder()
  install(
    cwd,
    'shout',
    `const framing = { text: (frame) => frame + '!\\n', parse: () => { throw new Error('mute') } }
     const transcoder = ({ runId }) => ({
       fact: ({ type }) => [runId + ' ' + type], settled: () => [], delta: () => [], close: () => [],
     })
     export const shout = { name: 'shout', framing, transcoder }
     export const decoy = { name: 'shouting', framing }`,
  )
  install(
    cwd,
    'listen',
    `const framing = { text: () => '', parse: () => undefined }
     export const listen = { name: 'listen', framing, decoder: () => ({ push: () => [], end: () => [], run: () => ({}) }) }`,
  )
  install(cwd, 'broken', `import '@factwire/not-there-either'`)
  return cwd
}

function install(cwd: string, name: string, source: string): void {
  const folder = join(cwd, 'node_modules/@factwire', name)
  mkdirSync(folder, { recursive: true })
  const manifest = { name: `@factwire/${name}`, type: 'module', exports: { default: './index.js' } }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(folder, 'index.js'), source)
}

test('finds a wire that is installed where the user stands', async () => {
  const { code, stdout } = await cli(['transcode', '--from', 'events', '--to', 'shout', '--run', 'r'], {
    cwd: project(),
    stdin: eventLines(sample),
  })
  expect(code).toBe(0)
  expect(stdout).toMatch(/^r run_started!\n.*\nr run_finished!\n$/s)
})

test('says that a wire cannot be read', async () => {
  const { code, stderr } = await cli(['inspect', '--from', 'shout'], { cwd: project() })
  expect(code).toBe(2)
  expect(stderr).toContain('can only be written')
})

test('says that a wire cannot be written', async () => {
  const { code, stderr } = await cli(['transcode', '--from', 'events', '--to', 'listen'], { cwd: project() })
  expect(code).toBe(2)
  expect(stderr).toContain('can only be read')
})

test('says why a wire that is installed cannot be loaded', async () => {
  const { code, stderr } = await cli(['inspect', '--from', 'broken'], { cwd: project() })
  expect(code).toBe(2)
  expect(stderr).toMatch(/@factwire\/broken cannot be loaded: .*not-there-either/)
})

test('is not kept from guessing by a package that cannot be loaded', async () => {
  const stdin =
    'data: {"id":"c","model":"m","choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n'
  const { code, stdout } = await cli(['inspect'], { cwd: project(), stdin })
  expect(code).toBe(0)
  expect(stdout).toContain('read as openai-chat')
})
