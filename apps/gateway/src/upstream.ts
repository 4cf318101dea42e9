/** Where answers come from: a provider, or the script that stands in for one. A wire to ask it in is one file of `upstreams`. */
import type { Json, Message } from '@factwire/core'
import type { Asked, Model } from '@factwire/runtime'
import { readSse } from '@factwire/sse'

/** A model, and what carries its requests. */
export interface AskedModel extends Model {
  readonly fetch: typeof fetch
}

export interface Upstream {
  /** Names, the default first. */
  readonly models: readonly string[]
  /** A new one each time: a script counts what it was asked. */
  model(name: string, instructions: string | undefined): AskedModel
}

/** What a file of `upstreams` exports: how to ask in its wire. */
export interface UpstreamWire<Frame = unknown> {
  readonly wire: Model<Frame>['wire']
  /** Behind the address of the provider. */
  readonly path: string
  headers(key: string): Readonly<Record<string, string>>
  body(asked: Asked, model: string, instructions: string | undefined): Json
}

export interface ProviderOptions {
  readonly url: string
  readonly key: string
  readonly models: readonly string[]
}

export function providerUpstream(asking: UpstreamWire, { url, key, models }: ProviderOptions): Upstream {
  return {
    models,
    model: (name, instructions) => ({ ...modelOf(asking, url, key, name, instructions), fetch: unredirected }),
  }
}

/** A conversation, and a key in a header of its own, go where the host said, and nowhere else. */
const unredirected: typeof fetch = (input, init) => fetch(input, { ...init, redirect: 'error' })

export function modelOf(
  { wire, path, headers, body }: UpstreamWire,
  url: string,
  key: string,
  name: string,
  instructions: string | undefined,
): Model {
  return {
    wire,
    messages: readSse,
    request: (asked) => ({
      url: `${url.replace(/\/$/, '')}${path}`,
      headers: headers(key),
      body: body(asked, name, instructions),
    }),
  }
}

/** What the model is told first stands before the thread, and never in it. */
export function instructing(instructions: string | undefined, messages: readonly Message[]): readonly Message[] {
  if (instructions === undefined) return messages
  return [{ id: 'instructions', role: 'system', content: [{ type: 'text', text: instructions }] }, ...messages]
}
