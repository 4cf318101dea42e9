/** What is printed on start: where it listens, what is on, and three commands to try. */
import type { Gateway } from './gateway.ts'
import type { Config } from './settings.ts'

export interface BannerOptions {
  readonly url: string
  readonly config: Config
  readonly gateway: Gateway
  readonly kept: string
}

export function banner({ url, config, gateway, kept }: BannerOptions): string {
  const { tokens, upstream, models } = config
  const paths = gateway.mounts.flatMap(({ starts }) => starts.map(({ path }) => `POST ${path}`))
  const who =
    tokens.length === 0
      ? 'anybody on this machine, because no token is configured'
      : `whoever has a token of ${[...gateway.tenants.keys()].join(', ')}`
  const token = tokens.length === 0 ? '' : " -H 'authorization: Bearer …'"
  const json = " -H 'content-type: application/json'"
  const [model = 'demo'] = models
  return `Factwire listens on ${url}

  who may ask   ${who}
  wires         ${paths.join(', ')}
  model         ${upstream === undefined ? 'a script, because no provider is configured (--upstream, --models)' : `${model} at ${placeOf(upstream)}`}
  runs          are kept ${kept}

Try:
  curl -N ${url}/v1/runs${token}${json} -d '{"thread_id":"first","messages":[{"role":"user","content":"Hello"}]}'
  curl -N ${url}/v1/chat/completions${token}${json} -d '{"model":"${model}","stream":true,"messages":[{"role":"user","content":"Hello"}]}'
  curl '${url}/v1/threads/first/messages?as=ag-ui'${token}

`
}

/** Without what may stand behind it. */
function placeOf(address: string): string {
  const { origin, pathname } = new URL(address)
  return origin + pathname
}
