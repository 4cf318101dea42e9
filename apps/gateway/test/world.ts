/** A gateway that listens on the loopback, with the scripted provider behind it. */
import { afterEach } from 'vitest'
import {
  type Gateway,
  gateway,
  type GatewayOptions,
  listen,
  type Listening,
  memoryStorage,
  type ServerLimits,
  scriptedTools,
  scriptedUpstream,
} from '../src/index.ts'
import { upstream } from '../src/upstreams/chat.ts'

const open = new Set<Listening>()

afterEach(async () => {
  await Promise.all([...open].map((each) => each.close()))
  open.clear()
})

export interface Started extends Listening {
  readonly gateway: Gateway
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>
}

export interface WorldOptions extends Partial<GatewayOptions> {
  readonly server?: Partial<ServerLimits>
  readonly port?: number
  /** Milliseconds between two pieces of the script. */
  readonly pace?: number
}

/** Is closed when the test is over. */
export async function started({ server, pace = 0, port = 0, ...options }: WorldOptions = {}): Promise<Started> {
  const made = await gateway({
    upstream: scriptedUpstream(upstream, pace),
    tools: scriptedTools,
    storage: async () => memoryStorage(),
    ...options,
  })
  const listening = await listen(made, { host: '127.0.0.1', port, limits: { drainMs: 50, lastMs: 2000, ...server } })
  open.add(listening)
  const { url } = listening
  return {
    ...listening,
    gateway: made,
    post: (path, body, headers = {}) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    get: (path, headers = {}) => fetch(`${url}${path}`, { headers }),
  }
}

export const go = (model: string, more: object = {}): object => ({
  model,
  messages: [{ role: 'user', content: 'Go.' }],
  ...more,
})
