/** Flags, variables and one file become a configuration, or an error that names the key and where it stands. */
import { readFileSync } from 'node:fs'
import { isObject, parseJson } from '@factwire/core'
import { LOOPBACK } from './origin.ts'
import { type Config, flagOf, KEYS, SETTINGS, type SettingKey, variableOf } from './settings.ts'

export interface ConfigSources {
  /** By the keys of the settings. */
  readonly flags: { readonly [key: string]: unknown }
  readonly env: { readonly [name: string]: string | undefined }
  /** Path of the file, if there is to be one. */
  readonly file: string | undefined
}

/** What is wrong with it, in one sentence. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** @throws ConfigError */
export function configFrom({ flags, env, file }: ConfigSources): Config {
  const written = file === undefined ? {} : contentOf(file)
  for (const key of Object.keys(written)) {
    if (!Object.hasOwn(SETTINGS, key)) throw new ConfigError(`${key} in ${file}: there is no such setting`)
  }
  const given = (key: SettingKey): { readonly value: unknown; readonly where: string } | undefined => {
    if (flags[key] !== undefined) return { value: flags[key], where: flagOf(key) }
    const variable = variableOf(key)
    // A variable that is empty is one that somebody has unset.
    if (env[variable] !== undefined && env[variable] !== '') return { value: env[variable], where: variable }
    if (Object.hasOwn(written, key)) return { value: written[key], where: `${key} in ${file}` }
    return undefined
  }
  const values = KEYS.map((key) => [key, readSetting(key, given(key))] as const)
  // Each key was read by its own reader.
  const config = Object.fromEntries(values) as unknown as Config
  checkTogether(config)
  return config
}

function readSetting(key: SettingKey, given: { readonly value: unknown; readonly where: string } | undefined): unknown {
  const { read, fallback } = SETTINGS[key]
  if (!given) return fallback
  try {
    return read(given.value)
  } catch (error) {
    throw new ConfigError(`${given.where}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function checkTogether({ host, hosts, tokens, upstream, models, connections, tenantConnections }: Config): void {
  const isOpen = !LOOPBACK.includes(host) && host !== '::1'
  if (tokens.length === 0 && isOpen) {
    throw new ConfigError(
      `host: ${host} can be reached from outside, so ${variableOf('tokens')} has to say who may ask`,
    )
  }
  if (hosts.length === 0 && isOpen) {
    throw new ConfigError(
      `host: ${host} can be reached from outside, so ${flagOf('hosts')} has to say what names the server is called by (* is any)`,
    )
  }
  if (new Set(tokens.map(({ tenant }) => tenant)).size > 1 && tenantConnections >= connections) {
    throw new ConfigError(
      `tenantConnections: expected less than connections (${connections}), so that one tenant leaves some to the others`,
    )
  }
  if (upstream !== undefined && models.length === 0) {
    throw new ConfigError('models: a provider needs the name of a model to ask for')
  }
}

function contentOf(file: string): { readonly [key: string]: unknown } {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new ConfigError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
  try {
    const value: unknown = parseJson(text)
    if (isObject(value)) return value
  } catch {
    // What the parser says may quote a secret.
    throw new ConfigError(`${file} is not JSON`)
  }
  throw new ConfigError(`${file}: expected a JSON object`)
}
