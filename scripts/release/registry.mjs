// A package registry that lives as long as a rehearsal, in memory and on the loopback: it takes what is published, serves it, and sends
// whoever asks for anybody else's package to the registry that the user has.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'

/** `owns` says whose names are never looked for elsewhere, `uplink` where the others are. */
export async function startRegistry({ owns, uplink }) {
  const packages = new Map()
  const archives = new Map()
  const server = createServer((request, response) => {
    void answer(request)
      .catch(({ message }) => json(500, { error: message }))
      .then(({ status, headers = {}, body = '' }) => response.writeHead(status, headers).end(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${server.address().port}/`

  async function answer(request) {
    const path = decodeURIComponent(new URL(request.url, url).pathname).slice(1)
    const name = /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? ''
    if (request.method === 'PUT') return publish(name, JSON.parse(await textOf(request)))
    if (archives.has(path)) return { status: 200, body: archives.get(path) }
    if (!owns(name)) return { status: 307, headers: { location: new URL(request.url.slice(1), uplink).href } }
    return packages.has(path) ? json(200, packages.get(path)) : json(404, { error: 'Not found' })
  }

  function publish(name, { versions, 'dist-tags': tags, _attachments: attachments, ...about }) {
    if (!owns(name)) return json(403, { error: `${name} is none of ours` })
    const known = packages.get(name) ?? { ...about, versions: {}, 'dist-tags': {} }
    for (const [version, manifest] of Object.entries(versions)) {
      const label = `${name}@${version}`
      if (known.versions[version]) return json(403, { error: `cannot publish over the previously published ${label}` })
      const [attachment] = Object.values(attachments)
      const bytes = Buffer.from(attachment.data, 'base64')
      const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
      if (manifest.dist.integrity !== integrity) return json(400, { error: `${label} is not what its integrity says` })
      const path = `${name}/-/${name.split('/').at(-1)}-${version}.tgz`
      archives.set(path, bytes)
      known.versions[version] = { ...manifest, dist: { ...manifest.dist, tarball: url + path } }
    }
    Object.assign(known['dist-tags'], tags)
    packages.set(name, known)
    return json(201, { ok: true })
  }

  return {
    url,
    /** Something else that is asked for here. */
    serve: (path, bytes) => archives.set(path, bytes),
    /** `name@version` of everything that was published. */
    published: () =>
      [...packages].flatMap(([name, { versions }]) => Object.keys(versions).map((version) => `${name}@${version}`)),
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function json(status, value) {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) }
}

async function textOf(stream) {
  const chunks = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
