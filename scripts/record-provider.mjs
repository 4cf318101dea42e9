// Asks a live provider once and writes what it streams into a file, byte for byte but for keys and ids of accounts. Response headers are
// not written at all. docs/recording.md says how to use it.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { scrub } from './record/scrub.mjs'

const LONGEST = 120_000
const QUESTION = 'Say hello in five words.'

const USAGE = `node scripts/record-provider.mjs --out <file> [options]

  --url <address>      of the provider's chat completions; else PROVIDER_URL
  --model <name>       else PROVIDER_MODEL
  --question <text>    default: ${QUESTION}
  --body <file>        the whole request body as JSON, in place of model and question
  --key-env <name>     the environment variable that holds the key; default PROVIDER_KEY
  --key-header <name>  the header that carries it; default authorization, as a bearer token
  --out <file>         where the stream goes

The key is read from the environment only: a command line is seen by everybody on the machine.`

try {
  process.exitCode = await record(settings(process.argv.slice(2), process.env))
} catch (error) {
  console.error(error.message)
  process.exitCode = error instanceof TypeError ? 2 : 1
}

function settings(args, env) {
  const text = { type: 'string' }
  const options = {
    url: { ...text, default: env.PROVIDER_URL },
    model: { ...text, default: env.PROVIDER_MODEL },
    question: { ...text, default: QUESTION },
    body: text,
    'key-env': { ...text, default: 'PROVIDER_KEY' },
    'key-header': { ...text, default: 'authorization' },
    out: text,
  }
  const { values } = parseArgs({ args, options })
  const key = env[values['key-env']] ?? ''
  if (!values.url || !values.out || (!values.model && !values.body)) throw new TypeError(USAGE)
  const messages = [{ role: 'user', content: values.question }]
  const body = values.body
    ? JSON.parse(readFileSync(values.body, 'utf8'))
    : { model: values.model, stream: true, messages }
  return { url: new URL(values.url), key, header: values['key-header'], body, out: values.out }
}

async function record({ url, key, header, body, out }) {
  // Before anybody is asked: what came could not be kept otherwise.
  mkdirSync(dirname(out), { recursive: true })
  const credential = key === '' ? {} : { [header]: header === 'authorization' ? `Bearer ${key}` : key }
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...credential },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(LONGEST),
  })
  const { bytes, broken } = await bytesOf(response)
  // What stands in the address may be a secret too.
  const secrets = [key, url.username, url.password, ...url.searchParams.values()].filter(({ length }) => length >= 6)
  const scrubbed = scrub(bytes, secrets)
  writeFileSync(out, scrubbed.bytes)

  console.log(
    `${out}: ${scrubbed.bytes.length} bytes, status ${response.status}, ${mediaTypeOf(response)}${broken ? ', the connection broke' : ''}`,
  )
  for (const [kind, number] of scrubbed.counts) console.log(`removed: ${kind} (${number})`)
  console.log('\nRead the file before you commit it. Its row for golden/README.md:\n')
  console.log(
    `| \`${out.split('/').at(-1)}\` | ${url.origin}${url.pathname}, ${body.model ?? 'no model'} | ${today()} | \`scripts/record-provider.mjs\`, ${asked(body)} |`,
  )
  return response.ok ? 0 : 1
}

/** What came, also of a stream that breaks off. */
async function bytesOf(response) {
  const chunks = []
  try {
    for await (const chunk of response.body ?? []) chunks.push(chunk)
    return { bytes: Buffer.concat(chunks), broken: false }
  } catch {
    return { bytes: Buffer.concat(chunks), broken: true }
  }
}

function mediaTypeOf(response) {
  return response.headers.get('content-type') ?? 'no content type'
}

function today() {
  return new Date().toISOString().slice(0, 10)
}

function asked({ messages }) {
  return JSON.stringify(messages?.at(-1)?.content ?? '').replaceAll('|', '\\|')
}
