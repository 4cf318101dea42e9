import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { listen, shut } from '../../apps/demo/src/loopback.ts'
import { beginning, provider } from '../../apps/demo/src/provider.ts'
import { answerBytes } from '../../apps/demo/src/script.ts'
import { scrub } from '../record/scrub.mjs'

// Servers and clients take their time on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

const script = fileURLToPath(new URL('../record-provider.mjs', import.meta.url))
const KEY = 'sk-proj-0123456789abcdefghijklmnop/q+r='

let folder
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'factwire-record-'))))
afterEach(() => rmSync(folder, { recursive: true }))

/** Runs the script to its end. */
function record(args, env = { PROVIDER_KEY: KEY }) {
  const out = join(folder, 'not', 'there', 'case.wire')
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [script, '--out', out, ...args], { env: { PATH: process.env.PATH, ...env } })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += String(text)))
    child.on('close', (code) => resolve({ code, said, bytes: () => readFileSync(out) }))
  })
}

async function against(server, work) {
  try {
    return await work(`${await listen(server)}/v1/chat/completions`)
  } finally {
    shut(server)
  }
}

/** A provider that answers with these bytes, and keeps what it was asked. */
function answering(body, status = 200) {
  const asked = []
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => (text += String(chunk)))
    request.on('end', () => {
      asked.push({ headers: request.headers, body: JSON.parse(text) })
      const headers = {
        'content-type': 'text/event-stream',
        'openai-organization': 'org-abcdefghijkl',
        'x-request-id': 'req_1',
      }
      response.writeHead(status, headers).end(body)
    })
  })
  return { asked, server }
}

test('a stream without secrets comes through byte for byte, however it was cut', async () => {
  const { code, said, bytes } = await against(provider(), (url) => record(['--url', url, '--model', 'demo-large']))
  expect(said).toContain('status 200, text/event-stream')
  expect(code).toBe(0)
  expect(bytes().equals(Buffer.from(answerBytes()))).toBe(true)
  expect(said).not.toContain('removed')
})

test('a stream that breaks off is kept as far as it came, and said to be broken', async () => {
  const { said, bytes } = await against(provider(), (url) => record(['--url', `${url}?cut`, '--model', 'demo-large']))
  expect(said).toContain('the connection broke')
  expect(bytes().equals(Buffer.from(beginning(answerBytes())))).toBe(true)
})

test('keys, accounts and addresses are gone, and every message can still be read', async () => {
  const told = [
    { id: 'chatcmpl-1', user: 'user-4711', choices: [{ index: 0, delta: { content: 'Grüße, größer — ' } }] },
    { organization: 'ACME "special" GmbH', choices: [{ index: 0, delta: { content: `your key is ${KEY}` } }] },
    { note: 'org-AbCdEfGhIjKlMnOp asked, write to Jane.Doe+x@mail.example.com', choices: [] },
    { header: 'authorization: Bearer abcdefgh12345678', choices: [], safety_identifier: 'hash' },
    { token: 'eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.sig-nature_1', choices: [] },
  ]
  const body = `: comment\r\n\r\n${told.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join('')}data: [DONE]\n\n`
  const { asked, server } = answering(body)
  const { code, said, bytes } = await against(server, (url) =>
    record(['--url', url, '--model', 'm', '--question', 'Hi|there']),
  )
  const text = bytes().toString()

  expect(code).toBe(0)
  const secrets = [
    KEY,
    'user-4711',
    'ACME',
    'GmbH',
    'org-',
    'Jane',
    'mail.example',
    'abcdefgh12345678',
    'eyJ',
    'req_1',
    '"hash"',
  ]
  expect(secrets.filter((secret) => text.includes(secret) || said.includes(secret))).toEqual([])
  expect(text.startsWith(': comment\r\n\r\n')).toBe(true)
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
  expect(text).toContain('Grüße, größer — ')
  const frames = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json]) => JSON.parse(json))
  expect(frames).toHaveLength(told.length)
  expect(frames[1]).toMatchObject({ organization: 'removed', choices: [{ delta: { content: 'your key is removed' } }] })
  expect(said).toContain('removed: the key that was used (1)')

  expect(asked[0].headers.authorization).toBe(`Bearer ${KEY}`)
  expect(asked[0].body).toEqual({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Hi|there' }] })
  expect(said).toMatch(/\| `case\.wire` \| http:\/\/127\.0\.0\.1:\d+\/v1\/chat\/completions, m \| \d{4}-\d\d-\d\d \|/)
  expect(said).toContain('"Hi\\|there"')
})

test('a key in the address is a secret too', async () => {
  const { server } = answering('data: {"echo":"AQ.secret-in-the-address"}\n\n')
  const { said, bytes } = await against(server, (url) =>
    record(['--url', `${url}?key=AQ.secret-in-the-address`, '--model', 'm'], {}),
  )
  expect(bytes().toString()).toBe('data: {"echo":"removed"}\n\n')
  expect(said).not.toContain('secret-in')
})

test('a key can have another header, and another name in the environment', async () => {
  const { asked, server } = answering('data: [DONE]\n\n')
  const args = ['--model', 'm', '--key-header', 'api-key', '--key-env', 'AZURE']
  await against(server, (url) => record(['--url', url, ...args], { AZURE: 'azure-key' }))
  expect(asked[0].headers).toMatchObject({ 'api-key': 'azure-key' })
  expect(asked[0].headers.authorization).toBeUndefined()
})

test('a refusal is recorded too, and is no success', async () => {
  const { server } = answering('{"error":{"message":"bad key","code":"invalid_api_key"}}', 401)
  const { code, said, bytes } = await against(server, (url) => record(['--url', url, '--model', 'm']))
  expect(code).toBe(1)
  expect(said).toContain('status 401')
  expect(bytes().toString()).toContain('bad key')
})

test('without an address or a model it says how to use it', async () => {
  const { code, said } = await record([], {})
  expect(code).toBe(2)
  expect(said).toContain('--url <address>')
})

test('what only looks a little like a secret stays', () => {
  const text =
    'task-force-and-risk-assessment sk-short org-chart user_message team-work 1@2 {"user":{"id":1},"users":"all"}'
  const { bytes, counts } = scrub(Buffer.from(text))
  expect(bytes.toString()).toBe(text)
  expect(counts.size).toBe(0)
})

test('bytes that are no text come through', () => {
  const bytes = Buffer.from([0xff, 0xc3, 0x28, 0x00, 0xf0, 0x9f])
  expect(scrub(bytes, ['unknown-key']).bytes.equals(bytes)).toBe(true)
})
