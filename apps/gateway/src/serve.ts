/** The command: a configuration, a gateway that listens, and a word about what one can do with it. */
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Command, CommanderError } from 'commander'
import { isObject } from '@factwire/core'
import type { Tool } from '@factwire/runtime'
import { banner } from './banner.ts'
import { type ConfigSources, configFrom, ConfigError } from './config.ts'
import { valuesIn } from './folder.ts'
import { gateway, type GatewayLimits } from './gateway.ts'
import { jsonLog, noLog } from './log.ts'
import { scriptedTools, scriptedUpstream } from './scripted.ts'
import { type Listening, listen } from './server.ts'
import { type Config, flagOf, KEYS, SETTINGS, variableOf } from './settings.ts'
import { storageFrom } from './storage-choice.ts'
import { upstream as chat } from './upstreams/chat.ts'
import { providerUpstream, type Upstream, type UpstreamWire } from './upstream.ts'

/** What a process has; `process` itself fits. */
export interface Io {
  readonly stdout: { write(text: string): unknown }
  readonly stderr: { write(text: string): unknown }
  readonly env: { readonly [name: string]: string | undefined }
  cwd(): string
}

/** Undefined when there is nothing to serve: help was asked for. @throws ConfigError */
export async function serve(argv: readonly string[], io: Io): Promise<Listening | undefined> {
  const sources = sourcesFrom(argv, io)
  if (!sources) return undefined
  const config = configFrom(sources)
  const log = config.log === 'on' ? jsonLog((line) => void io.stderr.write(line)) : noLog
  const storage = await storageFrom(config, io.cwd())
  const made = await gateway({
    upstream: await upstreamOf(config),
    tools: await toolsOf(config, io.cwd()),
    ...(config.instructions === undefined ? {} : { instructions: config.instructions }),
    tokens: config.tokens,
    hosts: config.hosts,
    origins: config.origins,
    limits: limitsOf(config),
    log,
    storage: storage.open,
    ...(storage.tickets ? { tickets: storage.tickets } : {}),
  })
  const { host, port, headerBytes, connections, drainMs } = config
  const listening = await listen(made, { host, port, limits: { headerBytes, connections, drainMs } }).catch(
    async (error: unknown) => {
      await Promise.all([...made.tenants.values()].map((each) => each.storage.close()))
      throw cannotListen(error, config)
    },
  )
  io.stdout.write(banner({ url: listening.url, config, gateway: made, kept: storage.told }))
  log({ event: 'listening', port: listening.port })
  return listening
}

function limitsOf({ bodyBytes, depth, readers, runs, tenantConnections }: Config): GatewayLimits {
  return { bodyBytes, depth, readers, runs, tenantConnections }
}

function sourcesFrom(argv: readonly string[], { env, stdout }: Io): ConfigSources | undefined {
  const program = new Command('serve')
    .description('Serves runs of an agent over HTTP, on every wire.')
    .option('--config <file>', 'a JSON file with settings, by their names (or FACTWIRE_CONFIG)')
    .exitOverride()
    .configureOutput({ writeOut: (text) => void stdout.write(text), outputError() {} })
    .addHelpText('after', ENDNOTE)
  for (const key of KEYS) {
    const { help, fallback, ...rest } = SETTINGS[key]
    if ('secret' in rest) continue
    const usual = typeof fallback === 'string' || typeof fallback === 'number' ? ` (${fallback})` : ''
    program.option(`${flagOf(key)} <value>`, `${help}${usual}`)
  }
  try {
    program.parse(argv, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return undefined
    throw new ConfigError(error.message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' '))
  }
  const { config, ...flags } = program.opts<{ readonly [key: string]: string }>()
  return { flags, env, file: config ?? env['FACTWIRE_CONFIG'] }
}

const ENDNOTE = `
Every setting can also be a variable, as in ${variableOf('bodyBytes')}, or stand in the file, as in "bodyBytes".
Only there: ${KEYS.filter((key) => 'secret' in SETTINGS[key])
  .map((key) => `${key} (${variableOf(key)})`)
  .join(' and ')}. FACTWIRE_TOKENS is tenant=token, with commas between.`

async function upstreamOf({ upstream, upstreamWire, upstreamKey = '', models }: Config): Promise<Upstream> {
  const wires = await valuesIn<UpstreamWire>(new URL('./upstreams/', import.meta.url), 'upstream')
  const asking = wires.get(upstreamWire)
  if (!asking) throw new ConfigError(`upstreamWire: expected one of ${[...wires.keys()].join(', ')}`)
  return upstream === undefined
    ? scriptedUpstream(chat)
    : providerUpstream(asking, { url: upstream, key: upstreamKey, models })
}

async function toolsOf({ tools, upstream }: Config, cwd: string): Promise<readonly Tool[]> {
  if (tools === undefined) return upstream === undefined ? scriptedTools : []
  try {
    const module: unknown = await import(/* @vite-ignore */ pathToFileURL(resolve(cwd, tools)).href)
    const found = isObject(module) ? module['tools'] : undefined
    if (Array.isArray(found) && found.every(isTool)) return found
  } catch (error) {
    throw new ConfigError(`tools: ${tools} cannot be loaded: ${error instanceof Error ? error.message : String(error)}`)
  }
  throw new ConfigError(`tools: ${tools} has to export tools, a list of { name, run }`)
}

/** Names the key, where there is one to blame. */
function cannotListen(error: unknown, { host, port }: Config): unknown {
  const code = isObject(error) ? error['code'] : undefined
  switch (code) {
    case 'EADDRINUSE':
      return new ConfigError(`port: ${port} is taken (EADDRINUSE)`)
    case 'EACCES':
      return new ConfigError(`port: ${port} is not for everybody (EACCES)`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new ConfigError(`host: ${host} is no address of this machine (${code})`)
    default:
      return error
  }
}

const isTool = (value: unknown): value is Tool =>
  isObject(value) && typeof value['name'] === 'string' && typeof value['run'] === 'function'
