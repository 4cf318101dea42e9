import { expect, test } from 'vitest'
import { listen, shut } from '../../demo/src/loopback.ts'
import { inProcess, provider, providerServer, scenes, words } from '../src/index.ts'

const body = (model: string, messages: readonly object[] = [{ role: 'user', content: 'Go.' }]): RequestInit => ({
  method: 'POST',
  body: JSON.stringify({ model, stream: true, messages }),
})

const ROUND = [
  { role: 'user', content: 'Go.' },
  { role: 'assistant', content: null, tool_calls: [{ id: 'a', function: { name: 'look_up', arguments: '{}' } }] },
  { role: 'tool', tool_call_id: 'a', content: 'fine' },
]

test('who asks again in the same round gets the next reply, and the last one when there is none', async () => {
  const fetch = inProcess(provider({ scene: [[words('one'), words('two')], [words('three')]] }))
  const said = async (init: RequestInit): Promise<string> =>
    [...(await (await fetch('', init)).text()).matchAll(/"content":"(\w+)"/g)].map(([, word]) => word).join()
  expect(await said(body('scene'))).toBe('one')
  expect(await said(body('scene', ROUND))).toBe('three')
  expect(await said(body('scene'))).toBe('two')
  expect(await said(body('scene'))).toBe('two')
})

test('a request that breaks a rule is refused, and so is a scene that there is not', async () => {
  const fetch = inProcess(provider(scenes))
  const refused = await fetch('', body('text', []))
  expect([refused.status, await refused.json()]).toMatchObject([400, { error: { message: 'messages is empty' } }])
  expect((await fetch('', body('nothing'))).status).toBe(404)
})

test('a server sends what the fetch gives', async () => {
  const server = providerServer(provider(scenes))
  const url = await listen(server)
  const response = await fetch(`${url}/v1/chat/completions`, body('parallel-tools'))
  const same = await inProcess(provider(scenes))('', body('parallel-tools'))
  expect(await response.text()).toBe(await same.text())
  const cut = await fetch(`${url}/v1/chat/completions`, body('cut-text'))
  await expect(cut.text()).rejects.toThrow('terminated')
  expect((await fetch(url)).status).toBe(404)
  shut(server)
})

test('whoever leaves a body that hangs is let go', async () => {
  const controller = new AbortController()
  const response = await inProcess(provider(scenes))('', { ...body('silent-text'), signal: controller.signal })
  const text = response.text()
  controller.abort(new Error('enough'))
  await expect(text).rejects.toThrow('enough')
})
