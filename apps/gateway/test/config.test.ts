import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type ConfigSources, configFrom } from '../src/config.ts'
import { serve } from '../src/serve.ts'
import { flagOf, KEYS, SETTINGS, variableOf } from '../src/settings.ts'
import { storageFrom } from '../src/storage-choice.ts'
import { build, folder, isThere, needsIt } from './kept.ts'

const from = (sources: Partial<ConfigSources> = {}): ReturnType<typeof configFrom> =>
  configFrom({ flags: {}, env: {}, file: undefined, ...sources })

function fileWith(content: string): string {
  const file = join(folder(), 'factwire.json')
  writeFileSync(file, content)
  return file
}

test('what nobody says is as the table has it', () => {
  expect(from()).toEqual(Object.fromEntries(KEYS.map((key) => [key, SETTINGS[key].fallback])))
})

test('a flag goes before a variable, and a variable before the file', () => {
  const file = fileWith('{"port":1,"depth":11,"readers":12}')
  const config = from({
    flags: { port: '3' },
    env: { FACTWIRE_PORT: '2', FACTWIRE_DEPTH: '22', FACTWIRE_READERS: '' },
    file,
  })
  expect([config.port, config.depth, config.readers]).toEqual([3, 22, 12])
})

test.each([
  [{ flags: { port: '70000' } }, '--port: expected a whole number from 0 to 65535'],
  [{ flags: { bodyBytes: '1e3' } }, '--body-bytes: expected a whole number from 1 to 67108864'],
  [{ env: { FACTWIRE_STORE: 'redis' } }, 'FACTWIRE_STORE: expected one of auto, sqlite, memory'],
  [{ env: { FACTWIRE_ORIGINS: 'https://a.example/' } }, /FACTWIRE_ORIGINS: .*"https:\/\/a.example\/" is none/],
  [{ env: { FACTWIRE_UPSTREAM: 'ftp://x' } }, /FACTWIRE_UPSTREAM: expected an address/],
  [{ env: { FACTWIRE_UPSTREAM: 'http://x/v1' } }, /models: a provider needs/],
  [{ env: { FACTWIRE_UPSTREAM: 'http://me:my-password@x/v1' } }, /^(?!.*my-password).*without a name or a password/],
  [{ env: { FACTWIRE_TOKENS: 'Acme=long-enough-token-1' } }, /FACTWIRE_TOKENS: expected tenants/],
  [{ flags: { host: '0.0.0.0' } }, /host: 0.0.0.0 can be reached from outside, so FACTWIRE_TOKENS/],
  [{ flags: { host: '0.0.0.0' }, env: { FACTWIRE_TOKENS: 'acme=acme-token-of-a-test' } }, /^host: .*--hosts/],
  [
    { env: { FACTWIRE_TOKENS: 'acme=one-token-of-a-test, beta=one-token-of-a-test' } },
    /^FACTWIRE_TOKENS: expected each token once/,
  ],
  [
    { flags: { connections: '10' }, env: { FACTWIRE_TOKENS: 'acme=acme-token-of-a-test,beta=beta-token-of-a-test' } },
    /^tenantConnections: expected less than connections \(10\)/,
  ],
] as const)('%j is refused, and the key named', (sources, message) => {
  expect(() => from(sources)).toThrow(message)
})

test('a token that is refused is not said again', () => {
  const secret = 'short-secret'
  expect(() => from({ env: { FACTWIRE_TOKENS: `acme=${secret}` } })).toThrow(/^(?!.*short-secret).*at least 16/)
})

test.each([
  ['{"prot":1}', /prot in .*factwire.json: there is no such setting/],
  ['{"port":true}', /port in .*factwire.json: expected a whole number/],
  ['{"tokens":[{"tenant":"acme"}]}', /tokens in .*: expected tokens of at least 16/],
  ['{"__proto__":{"port":1}}', /__proto__ in .*: there is no such setting/],
  ['[]', /expected a JSON object/],
  ['{"upstreamKey":"secret-of-a-test",}', /^(?!.*secret-of-a-test).*factwire.json is not JSON$/],
])('the file %s is refused, and what is wrong is named', (content, message) => {
  expect(() => from({ file: fileWith(content) })).toThrow(message)
})

test('a file that is not there is an error that says so', () => {
  expect(() => from({ file: join(folder(), 'none.json') })).toThrow(/none.json cannot be read/)
})

test('tokens of tenants stand in a variable or in the file, and are kept as their hash', () => {
  const { tokens } = from({ env: { FACTWIRE_TOKENS: 'acme=acme-token-of-a-test, beta=beta-token=of-a-test' } })
  expect(tokens.map(({ tenant }) => tenant)).toEqual(['acme', 'beta'])
  const file = fileWith(`{"tokens":[{"tenant":"acme","sha256":"${tokens[0]?.sha256}"}]}`)
  expect(from({ file }).tokens).toEqual([tokens[0]])
  expect(JSON.stringify(tokens)).not.toContain('of-a-test')
})

test('every setting has a flag or is a secret, and help tells them all', async () => {
  let help = ''
  const io = {
    stdout: { write: (text: string) => (help += text) },
    stderr: { write: () => true },
    env: {},
    cwd: folder,
  }
  expect(await serve(['--help'], io)).toBeUndefined()
  for (const key of KEYS) expect(help).toContain('secret' in SETTINGS[key] ? variableOf(key) : flagOf(key))
})

test.each([
  [['--nothing'], /unknown option '--nothing'/],
  [['--port'], /argument missing/],
  [['--upstream-wire', 'telex'], /upstreamWire: expected one of .*chat/],
  [['--tools', 'none.mjs'], /tools: none.mjs cannot be loaded/],
  [['--config', 'none.json'], /none.json cannot be read/],
])('%j is refused before anything listens', async (argv, message) => {
  const io = { stdout: { write: () => true }, stderr: { write: () => true }, env: {}, cwd: () => '/' }
  await expect(serve(['--store', 'memory', '--port', '0', ...argv], io)).rejects.toThrow(message)
})

test('without SQLite runs are kept in memory and that is said, unless SQLite is demanded', async () => {
  const missing = async (): Promise<never> => {
    throw new Error('not compiled')
  }
  const auto = await storageFrom({ store: 'auto', data: 'data' }, folder(), missing)
  expect(auto.told).toContain('in memory, and go with the process, because better-sqlite3 is not compiled here')
  await expect(storageFrom({ store: 'sqlite', data: 'data' }, folder(), missing)).rejects.toThrow('store: not compiled')
  const at = folder()
  const kept = await storageFrom({ store: 'auto', data: 'data' }, at, async () => undefined)
  expect(kept.told).toContain(join(at, 'data'))
})

test.each(['/proc/none', '/proc/none/deeper', 'a-file', 'a-file/in-it'])(
  'a folder %s that nothing can be kept in is an error that names the key, at once',
  async (data) => {
    const at = folder()
    writeFileSync(join(at, 'a-file'), '')
    await expect(storageFrom({ store: 'auto', data }, at, async () => undefined)).rejects.toThrow(
      /^data: nothing can be kept in .*(?:proc|a-file)/,
    )
  },
)

test.skipIf(!isThere)(`${needsIt}a file that cannot be opened is an error that names the key`, async () => {
  build('core', 'hub', 'sqlite')
  const at = folder()
  const { open } = await storageFrom({ store: 'sqlite', data: 'data' }, at)
  mkdirSync(join(at, 'data', 'acme.db'))
  await expect(open('acme')).rejects.toThrow(/^data: nothing can be kept in/)
  const first = await open('beta')
  await expect(open('beta')).rejects.toThrow(/^data: .*is held by process/)
  await first.close()
})

test('the banner says where the provider is', async () => {
  let told = ''
  const io = {
    stdout: { write: (text: string) => (told += text) },
    stderr: { write: () => true },
    env: {},
    cwd: folder,
  }
  const upstream = ['--upstream', 'http://127.0.0.1:9/v1?not=said', '--models', 'm-large']
  const listening = await serve(['--store', 'memory', '--port', '0', '--log', 'off', ...upstream], io)
  await listening?.close()
  expect(told).toContain('m-large at http://127.0.0.1:9/v1')
  expect(told).not.toContain('not=said')
})

test('tools come from a module, and a module of something else is refused', async () => {
  const at = folder()
  mkdirSync(join(at, 'my'))
  writeFileSync(join(at, 'my', 'tools.mjs'), `export const tools = [{ name: 'add', run: ({ a, b }) => String(a + b) }]`)
  writeFileSync(join(at, 'my', 'wrong.mjs'), `export const tools = [{ name: 'add' }]`)
  const io = { stdout: { write: () => true }, stderr: { write: () => true }, env: {}, cwd: () => at }
  const base = ['--store', 'memory', '--port', '0', '--log', 'off', '--drain-ms', '0']
  await expect(serve([...base, '--tools', 'my/wrong.mjs'], io)).rejects.toThrow(/has to export tools/)
  const listening = await serve([...base, '--tools', 'my/tools.mjs'], io)
  await listening?.close()
  expect(listening?.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
})
