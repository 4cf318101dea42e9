/** A proxy in front, as it comes out of the box: it would hold bytes back, and close what is silent. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { folder } from './kept.ts'
import { go, started, type Started } from './world.ts'

const WANTED = process.env['FACTWIRE_NGINX']
const NGINX = (WANTED ? [WANTED] : ['/usr/sbin/nginx', '/usr/bin/nginx', '/usr/local/bin/nginx']).find((place) =>
  existsSync(place),
)
const needsIt = NGINX ? '' : 'NOT CHECKED: without nginx (node scripts/nginx.mjs installs it): '

const children = new Set<ChildProcess>()
afterEach(() => {
  for (const child of children) child.kill('SIGTERM')
  children.clear()
})

/** Gives the address of a proxy before the gateway. Only where it puts its files differs from what it does by itself. */
async function proxied({ port }: Started, settings = ''): Promise<string> {
  const at = folder()
  const own = await freePort()
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(at, name)};`,
  )
  const config = `
    daemon off; master_process off; pid ${join(at, 'pid')}; error_log ${join(at, 'error.log')};
    events {}
    http {
      access_log off; ${places.join(' ')}
      server { listen 127.0.0.1:${own}; location / { proxy_pass http://127.0.0.1:${port}; ${settings} } }
    }`
  const file = join(at, 'nginx.conf')
  writeFileSync(file, config)
  children.add(spawn(NGINX ?? 'nginx', ['-c', file, '-p', at], { stdio: 'ignore' }))
  const url = `http://127.0.0.1:${own}`
  await expect
    .poll(
      async () =>
        fetch(`${url}/health/live`).then(
          ({ status }) => status,
          () => 0,
        ),
      { timeout: 10_000 },
    )
    .toBe(200)
  return url
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

const ask = (url: string, model: string): Promise<Response> =>
  fetch(`${url}/v1/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(go(model)),
  })

describe.skipIf(!NGINX)(`${needsIt}behind nginx`, () => {
  test('the first event comes at once, while the provider is still silent', async () => {
    const url = await proxied(await started())
    const waited: number[] = []
    // One of several: the machine may be busy with something else.
    for (let attempt = 0; attempt < 8; attempt++) {
      const begun = performance.now()
      const reader = (await ask(url, 'silent-at-first')).body?.getReader()
      const piece = await reader?.read()
      waited.push(performance.now() - begun)
      expect(new TextDecoder().decode(piece?.value)).toContain('run_start')
      await reader?.cancel()
    }
    expect(Math.min(...waited)).toBeLessThan(100)
  })

  test('a stream on which nothing happens outlives the time that it may be silent', async () => {
    const gateway = await started({ hub: { heartbeatMs: 900 } })
    const url = await proxied(gateway, 'proxy_read_timeout 3s;')
    const response = await ask(url, 'approval')
    const run = response.headers.get('x-run-id')
    const text = response.text()
    await new Promise((resolve) => setTimeout(resolve, 5000))
    const decided = await gateway.post(`/v1/runs/${run}/decision`, { tool_call_id: 'call_r', action: 'resume' })
    expect(decided.status).toBe(202)
    const all = await text
    expect(all).toContain(': heartbeat')
    expect(all).toContain('"type":"natural_end"')
  })
})
