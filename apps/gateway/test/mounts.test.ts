/** What a wire has to bring to be served, tried with one that none of the files mounts. */
import { readdirSync } from 'node:fs'
import { sse } from '@factwire/sse'
import { expect, test } from 'vitest'
import { valuesIn } from '../src/folder.ts'
import { gateway, memoryStorage, type Mount, scriptedUpstream } from '../src/index.ts'
import { mount as own } from '../src/mounts/sse.ts'
import { upstream } from '../src/upstreams/chat.ts'
import { go, started } from './world.ts'

/** In the manner of a response that is made, read from a number on, and cancelled by its id. */
const responses: Mount = {
  protocol: { ...own.protocol, name: 'telex', error: (status, { code }) => ({ telex: { status, code } }) },
  starts: [
    {
      path: '/v1/telex',
      messageIds: 'server',
      thread: (_asked, { query }) => query('thread'),
      complete: (facts) => ({ ends: facts.at(-1)?.type ?? 'nothing' }),
    },
  ],
  reads: [
    {
      path: '/v1/telex/:id',
      of: ({ param }) => ({ run: param('id') ?? '' }),
      position: ({ query }) => query('starting_after'),
    },
    { path: '/v1/telex/threads/:id/stream', of: ({ param }) => ({ thread: param('id') ?? '' }), liveOnly: true },
  ],
  cancels: [{ path: '/v1/telex/:id/cancel', run: ({ param }) => param('id') }],
}

test('every file of the folder is a mount, and no list has to be kept', async () => {
  const folder = new URL('../src/mounts/', import.meta.url)
  const made = await gateway({ upstream: scriptedUpstream(upstream, 0), storage: async () => memoryStorage() })
  expect(made.mounts).toHaveLength(readdirSync(folder).length)
  await Promise.all([...made.tenants.values()].map(async ({ hub }) => hub.close()))
  await expect(valuesIn(folder, 'nothing')).rejects.toThrow('has to export a nothing')
})

test('a mount begins runs, reads them from a position, by thread while they live, and ends them', async () => {
  const { post, get } = await started({ mounts: [responses] })
  const begun = await post('/v1/telex?thread=thread-1', go('approval'))
  const run = begun.headers.get('x-run-id')
  const reader = begun.body?.getReader()
  await reader?.read()
  const live = await get('/v1/telex/threads/thread-1/stream')
  expect(live.status).toBe(200)
  await live.body?.cancel()
  expect(await (await post(`/v1/telex/${run}/cancel`, {})).json()).toMatchObject({ status: 'cancel_requested' })
  await reader?.cancel()
  expect((await get('/v1/telex/threads/thread-1/stream')).status).toBe(204)
  const all = await (await get(`/v1/telex/${run}`)).text()
  const rest = await (await get(`/v1/telex/${run}?starting_after=2`)).text()
  expect(all).toContain('id: 0\n')
  expect(rest).toContain('"type":"cancelled"')
  expect(rest).not.toMatch(/id: [0-2]\n/)
  expect((await get(`/v1/runs/${run}/events?as=telex`)).status).toBe(200)
})

test('its errors are in its own words', async () => {
  const { post, get } = await started({ mounts: [responses] })
  expect(await (await post('/v1/telex', '{')).json()).toEqual({ telex: { status: 400, code: 'malformed_json' } })
  expect(await (await get('/v1/telex/nobody')).json()).toEqual({ telex: { status: 404, code: 'unknown_run' } })
  expect(await (await get('/v1/telex/threads/nobody/stream')).json()).toMatchObject({ telex: { status: 404 } })
})

test('whoever wants no stream gets the whole answer that the mount makes', async () => {
  const whole: Mount = {
    ...responses,
    protocol: {
      ...responses.protocol,
      request: (body, options) => ({ ...own.protocol.request(body, options), stream: false }),
    },
  }
  const { post } = await started({ mounts: [whole] })
  expect(await (await post('/v1/telex?thread=t', go('text'))).json()).toEqual({ ends: 'run_finished' })
  const failed = await post('/v1/telex?thread=u', go('unauthorized'))
  expect([failed.status, failed.headers.get('x-should-retry'), await failed.json()]).toEqual([
    500,
    'false',
    { ends: 'run_failed' },
  ])
})

test('a wire that answers only in streams says so', async () => {
  const { complete: _, ...streaming } = responses.starts[0] ?? {
    path: '',
    messageIds: 'client',
    thread: () => undefined,
  }
  const mute: Mount = {
    ...responses,
    protocol: {
      ...sse,
      name: 'telex',
      request: (body, options) => ({ ...own.protocol.request(body, options), stream: false }),
    },
    starts: [streaming],
  }
  const { post } = await started({ mounts: [mute] })
  expect((await post('/v1/telex?thread=t', go('text'))).status).toBe(400)
})
