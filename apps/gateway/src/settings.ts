/** Every setting: its flag, its variable, its place in the file, what it may be, and what it is when nobody says anything. */
import type { TokenEntry } from './tokens.ts'
import { sha256 } from './tokens.ts'

/** Gives the value. @throws Error that says what was expected. */
export type ReadSetting<Value> = (given: unknown) => Value

export interface Setting<Value> {
  readonly help: string
  readonly read: ReadSetting<Value>
  readonly fallback: Value
  /** It is not taken from the command line, which everybody on the machine can see. */
  readonly secret?: true
}

const expected = (what: string): never => {
  throw new Error(`expected ${what}`)
}

const text: ReadSetting<string> = (given) =>
  typeof given === 'string' && given !== '' ? given : expected('a text that is not empty')

const optionalText: ReadSetting<string | undefined> = text

function whole(least: number, most: number): ReadSetting<number> {
  return (given) => {
    const value = typeof given === 'string' && /^\d{1,12}$/.test(given) ? Number(given) : given
    return typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most
      ? value
      : expected(`a whole number from ${least} to ${most}`)
  }
}

function oneOf<const Value extends string>(...values: readonly Value[]): ReadSetting<Value> {
  return (given) => values.find((value) => value === given) ?? expected(`one of ${values.join(', ')}`)
}

/** A list, or its members with commas between. */
const list: ReadSetting<readonly string[]> = (given) => {
  const members: readonly unknown[] =
    typeof given === 'string' ? given.split(',').map((each) => each.trim()) : asList(given)
  return members.map((member) => (typeof member === 'string' && member !== '' ? member : expected('a list of texts')))
}

const asList = (given: unknown): readonly unknown[] => (Array.isArray(given) ? given : expected('a list'))

const address: ReadSetting<string | undefined> = (given) => {
  const { protocol, username, password } = new URL(URL.canParse(text(given)) ? text(given) : 'none:')
  if (username !== '' || password !== '')
    return expected('an address without a name or a password: a key has a setting of its own')
  return /^https?:$/.test(protocol) ? text(given) : expected('an address that begins with http:// or https://')
}

const origins: ReadSetting<readonly string[]> = (given) =>
  list(given).map((origin) =>
    URL.canParse(origin) && new URL(origin).origin === origin
      ? origin
      : expected(`origins such as https://app.example, and "${origin}" is none`),
  )

const TENANT = /^[a-z0-9][a-z0-9-]{0,62}$/
const SHORTEST = 16

/** `tenant=token` with commas between, or a list of `{tenant, token}` or `{tenant, sha256}`. What was given is never said again. */
const tokens: ReadSetting<readonly TokenEntry[]> = (given) => {
  const entries = typeof given === 'string' ? given.split(',').map(tokenInPair) : asList(given).map(tokenInList)
  // It would be that of the first of them.
  return new Set(entries.map((entry) => entry.sha256)).size === entries.length
    ? entries
    : expected('each token once: it is the token of one tenant')
}

function tokenInPair(pair: string): TokenEntry {
  const at = pair.indexOf('=')
  return token(pair.slice(0, at).trim(), pair.slice(at + 1).trim(), undefined)
}

function tokenInList(entry: unknown): TokenEntry {
  const { tenant, token: plain, sha256: hash } = (entry ?? {}) as { readonly [key: string]: unknown }
  return token(tenant, plain, hash)
}

function token(tenant: unknown, plain: unknown, hash: unknown): TokenEntry {
  if (typeof tenant !== 'string' || !TENANT.test(tenant)) {
    return expected('tenants of small letters, digits and hyphens, as in tenant=token')
  }
  if (typeof hash === 'string' && /^[0-9a-f]{64}$/.test(hash)) return { tenant, sha256: hash }
  return typeof plain === 'string' && plain.length >= SHORTEST && /^[\u0021-\u007e]+$/.test(plain)
    ? { tenant, sha256: sha256(plain) }
    : expected(`tokens of at least ${SHORTEST} visible ASCII characters, or their sha256 in hexadecimal`)
}

const setting = <Value>(help: string, read: ReadSetting<Value>, fallback: Value): Setting<Value> => ({
  help,
  read,
  fallback,
})
const secret = <Value>(help: string, read: ReadSetting<Value>, fallback: Value): Setting<Value> => ({
  help,
  read,
  fallback,
  secret: true,
})

export const SETTINGS = {
  host: setting('address to listen on', text, '127.0.0.1'),
  port: setting('port to listen on; 0 is any that is free', whole(0, 65_535), 4100),
  store: setting(
    'where runs are kept: sqlite, memory, or auto: sqlite where it is there',
    oneOf('auto', 'sqlite', 'memory'),
    'auto',
  ),
  data: setting('folder of the files that they are kept in', text, '.factwire'),
  upstream: setting('address of the provider, up to and with /v1; without it a script answers', address, undefined),
  upstreamWire: setting('the wire that the provider is asked in', text, 'chat'),
  upstreamKey: secret("the provider's key", optionalText, undefined),
  models: setting('names of the models that may be asked for, the default first', list, []),
  instructions: setting('what the model is told first', optionalText, undefined),
  tools: setting('a module that exports tools', optionalText, undefined),
  tokens: secret('bearer tokens, each with its tenant', tokens, []),
  hosts: setting('names that the server is called by, beside localhost; * is any', list, []),
  origins: setting('origins of pages that may ask', origins, []),
  bodyBytes: setting('longest body of a request', whole(1, 64 * 1024 * 1024), 1024 * 1024),
  headerBytes: setting('longest headers of a request', whole(1024, 1024 * 1024), 16 * 1024),
  depth: setting('deepest nesting of a body', whole(1, 512), 64),
  readers: setting('streams of one tenant at once', whole(1, 1_000_000), 10_000),
  runs: setting('runs of one tenant that go on at once', whole(1, 1_000_000), 1000),
  connections: setting('connections of everybody at once', whole(1, 1_000_000), 20_000),
  tenantConnections: setting('connections of one tenant at once', whole(1, 1_000_000), 15_000),
  drainMs: setting('milliseconds that runs have to end when the server is to stop', whole(0, 600_000), 5000),
  log: setting('lines about requests on standard error: on or off', oneOf('on', 'off'), 'on'),
} as const satisfies { readonly [key: string]: Setting<unknown> }

export type Config = { readonly [Key in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[Key]['read']> }
export type SettingKey = keyof Config

export const KEYS = Object.keys(SETTINGS) as readonly SettingKey[]

const words = (key: string, between: string): string => key.replace(/[A-Z]/g, (letter) => `${between}${letter}`)
export const flagOf = (key: string): string => `--${words(key, '-').toLowerCase()}`
export const variableOf = (key: string): string => `FACTWIRE_${words(key, '_').toUpperCase()}`
