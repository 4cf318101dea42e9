import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { buildAll, folder, has, root } from './kept.ts'
import { FACTWIRE, served, START } from './process.ts'
import { go } from './world.ts'

beforeAll(buildAll, 300_000)

const MEMORY = ['--port', '0', '--store', 'memory', '--log', 'off'] as const
const send = (url: string, path: string, body: object, headers: object = {}): Promise<Response> =>
  fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

const needsCurl = has('curl') ? '' : 'NOT CHECKED: without curl: '

test.skipIf(!has('curl'))(`${needsCurl}what it prints on start can be typed in, and works`, async () => {
  const server = await served([START, '--port', '0', '--store', 'memory'], tmpdir())
  const commands = server.printed().match(/^ {2}curl .*$/gm) ?? []
  expect(commands).toHaveLength(3)
  const answers = commands.map((command) => spawnSync('sh', ['-c', `${command} -sS`], { encoding: 'utf8' }).stdout)
  expect(answers[0]).toContain('"type":"natural_end"')
  expect(answers[1]).toContain('data: [DONE]')
  expect(JSON.parse(answers[2] ?? '')).toMatchObject({ thread_id: 'first', status: 'ended' })
  await expect.poll(() => server.logged()).toContain('"event":"listening"')
  expect(await server.stop('SIGTERM')).toBe(0)
})

test.skipIf(!has('curl'))(`${needsCurl}what its README types in works`, async () => {
  const readme = readFileSync(join(root, 'apps/gateway/README.md'), 'utf8')
  const script = /```sh\n(run=.*?)```/s.exec(readme)?.[1] ?? ''
  const example = /```js\n(\/\/ tools\.mjs.*?)```/s.exec(readme)?.[1] ?? ''
  const cwd = folder()
  writeFileSync(join(cwd, 'tools.mjs'), example)
  const withTools = await served([START, ...MEMORY, '--tools', 'tools.mjs'], cwd)
  expect(await withTools.stop('SIGTERM')).toBe(0)
  const server = await served([START, ...MEMORY], tmpdir())
  const typed = script.replaceAll('localhost:4100', new URL(server.url).host)
  const { stdout } = spawnSync('sh', ['-c', typed], { encoding: 'utf8', timeout: 60_000 })
  expect(stdout).toMatch(/"status":"awaiting".*"status":"decision_submitted".*natural_end/s)
  await server.stop('SIGTERM')
})

test('the command starts it too, and passes on what it complains about', async () => {
  const server = await served([FACTWIRE, 'serve', ...MEMORY], tmpdir())
  expect((await fetch(`${server.url}/health/ready`)).status).toBe(200)
  expect(await server.stop('SIGINT')).toBe(0)
  const wrong = spawnSync(process.execPath, [FACTWIRE, 'serve', '--port', 'x'], { encoding: 'utf8' })
  expect([wrong.status, wrong.stderr]).toEqual([2, 'factwire: --port: expected a whole number from 0 to 65535\n'])
  const help = spawnSync(process.execPath, [FACTWIRE, 'serve', '--help'], { encoding: 'utf8' })
  expect(help.stdout).toContain('--upstream-wire')
})

test('told to stop, it ends streams between two frames, and what goes on with a word', async () => {
  const server = await served([START, ...MEMORY, '--drain-ms', '100'], tmpdir())
  const waits = await send(server.url, '/v1/runs', go('approval'))
  // It would go on for a minute.
  const goesOn = await send(server.url, '/v1/runs', go('silent-text'))
  const [waiting, going] = [waits.text(), goesOn.text()]
  await expect.poll(async () => statuses(server.url)).toEqual(['running', 'awaiting'])
  const begun = performance.now()
  expect(await server.stop('SIGTERM')).toBe(0)
  expect(performance.now() - begun).toBeLessThan(10_000)
  // The stream of a run that waits has no end of its own: its client is to come back.
  const suspended = await waiting
  expect(suspended).toContain('suspended')
  expect(suspended).toMatch(/\n\n(?:: heartbeat\n)?$/)
  const last = (await going).trim().split('\n').at(-1) ?? ''
  expect(JSON.parse(last.slice('data: '.length))).toMatchObject({
    event_type: 'run_finish',
    termination: { type: 'error', value: expect.stringContaining('told to stop') },
    result: { code: 'server_stopping' },
  })
})

test('what npm is told reaches the server: npm waits until it has ended its streams', async () => {
  const server = await served(['start', '--silent', '--', ...MEMORY, '--drain-ms', '100'], root, 'npm')
  const goesOn = await send(server.url, '/v1/runs', go('silent-text'))
  const going = goesOn.text()
  expect(await server.stop('SIGTERM')).toBe(0)
  expect(await going).toContain('server_stopping')
  await expect(fetch(`${server.url}/health/live`)).rejects.toThrow('fetch failed')
})

test('told twice it stops at once, but for the same word that comes on two ways', async () => {
  const server = await served([START, ...MEMORY, '--drain-ms', '60000'], tmpdir())
  const goesOn = await send(server.url, '/v1/runs', go('silent-text'))
  const going = goesOn.text().catch(() => 'cut')
  server.child.kill('SIGINT')
  server.child.kill('SIGINT')
  await expect.poll(() => server.printed()).toContain('at once')
  expect(server.child.exitCode).toBeNull()
  // Told again and again: the first time that is no more the same word ends it.
  await expect.poll(() => server.child.kill('SIGINT') && server.child.exitCode, { timeout: 5000 }).not.toBeNull()
  expect(server.child.exitCode).toBe(130)
  expect(await going).toBe('cut')
})

test('a port that is taken is an error that says so', async () => {
  const server = await served([START, ...MEMORY], tmpdir())
  const second = spawnSync(process.execPath, [START, '--store', 'memory', '--port', new URL(server.url).port], {
    encoding: 'utf8',
    cwd: folder(),
  })
  expect([second.status, second.stderr]).toEqual([
    2,
    `factwire: port: ${new URL(server.url).port} is taken (EADDRINUSE)\n`,
  ])
  await server.stop('SIGTERM')
})

async function statuses(url: string): Promise<readonly string[]> {
  const { items } = (await (await fetch(`${url}/v1/runs`)).json()) as { items: readonly { status: string }[] }
  return items.map(({ status }) => status)
}
