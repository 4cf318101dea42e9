import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import { startRegistry } from '../release/registry.mjs'

const open = []
afterEach(() => open.splice(0).forEach((each) => each.close()))

async function started(uplink = 'http://127.0.0.1:1/') {
  const registry = await startRegistry({ owns: (name) => name === 'ours' || name.startsWith('@ours/'), uplink })
  open.push(registry)
  return registry
}

function archive(name, version, { integrity, data = Buffer.from(`${name} ${version}`) } = {}) {
  const hash = integrity ?? `sha512-${createHash('sha512').update(data).digest('base64')}`
  return {
    _id: name,
    name,
    'dist-tags': { latest: version },
    versions: { [version]: { name, version, dist: { integrity: hash, tarball: 'http://elsewhere/x.tgz' } } },
    _attachments: { [`${name}-${version}.tgz`]: { data: data.toString('base64') } },
  }
}

const put = (registry, body) =>
  fetch(registry.url + encodeURIComponent(body.name), { method: 'PUT', body: JSON.stringify(body) })

test('serves what was published, at its own address', async () => {
  const registry = await started()
  expect((await put(registry, archive('@ours/a', '1.0.0'))).status).toBe(201)
  const about = await (await fetch(`${registry.url}@ours%2fa`)).json()
  expect(about).toMatchObject({ name: '@ours/a', 'dist-tags': { latest: '1.0.0' } })
  expect(about).not.toHaveProperty('_attachments')
  const { tarball } = about.versions['1.0.0'].dist
  expect(tarball.startsWith(registry.url)).toBe(true)
  expect(await (await fetch(tarball)).text()).toBe('@ours/a 1.0.0')
  expect(registry.published()).toEqual(['@ours/a@1.0.0'])
})

test('keeps earlier versions', async () => {
  const registry = await started()
  await put(registry, archive('ours', '1.0.0'))
  await put(registry, archive('ours', '1.1.0'))
  const about = await (await fetch(`${registry.url}ours`)).json()
  expect(Object.keys(about.versions)).toEqual(['1.0.0', '1.1.0'])
  expect(about['dist-tags']).toEqual({ latest: '1.1.0' })
})

test('refuses a version that it has, and keeps the one it had', async () => {
  const registry = await started()
  await put(registry, archive('ours', '1.0.0'))
  const again = await put(registry, archive('ours', '1.0.0', { data: Buffer.from('other') }))
  expect(again.status).toBe(403)
  expect(await (await fetch(`${registry.url}ours/-/ours-1.0.0.tgz`)).text()).toBe('ours 1.0.0')
})

test.each([
  ['what is not what its integrity says', archive('ours', '1.0.0', { integrity: 'sha512-AAAA' }), 400],
  ['what is none of ours', archive('theirs', '1.0.0'), 403],
])('does not take %s', async (_what, body, status) => {
  const registry = await started()
  expect((await put(registry, body)).status).toBe(status)
  expect(registry.published()).toEqual([])
})

test('sends for the packages of others, and never for ours', async () => {
  const asked = []
  const uplink = createServer((request, response) => {
    asked.push(request.url)
    response.end('theirs')
  })
  uplink.listen(0, '127.0.0.1')
  open.push(uplink)
  await once(uplink, 'listening')
  const registry = await started(`http://127.0.0.1:${uplink.address().port}/base/`)
  expect(await (await fetch(`${registry.url}@theirs%2fb`)).text()).toBe('theirs')
  expect((await fetch(`${registry.url}@ours%2fa`)).status).toBe(404)
  expect(asked).toEqual(['/base/@theirs%2fb'])
})
