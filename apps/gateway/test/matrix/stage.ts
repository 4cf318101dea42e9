/** The gateway that a client plays its scenes at. Each scene is a model; what was asked and what ran is known by it. */
import { inProcess, type Move, provider } from '@factwire/provider'
import type { Tool } from '@factwire/runtime'
import { gateway, listen, type LogEntry, memoryStorage, type Upstream } from '../../src/index.ts'
import { modelOf } from '../../src/upstream.ts'
import { upstream as chat } from '../../src/upstreams/chat.ts'
import { sceneNames, scenes } from './scenes.ts'

export interface Run {
  readonly run_id: string
  readonly model: string
  readonly status: string
  readonly cause?: { readonly type: string }
}

export interface Stage {
  readonly port: number
  /** The runs of a scene, the first one first. */
  runsOf(scene: string): Promise<readonly Run[]>
  cancel(runId: string): Promise<void>
  /** Settles when the script of a scene waits. */
  waits(scene: string): Promise<void>
  /** Lets the script of a scene go on where it waits. */
  open(scene: string): void
  /** How often the provider was asked in a scene. */
  requests(scene: string): number
  /** The tools of the server that ran in a run, one by one. */
  ran(runId: string): readonly string[]
  /** What the server met with that it did not expect. */
  readonly errors: readonly LogEntry[]
  close(): Promise<void>
}

export async function stage(): Promise<Stage> {
  const gates = new Map(sceneNames.map((name): [string, Gate] => [name, gate()]))
  const ran = new Map<string, string[]>()
  const errors: LogEntry[] = []
  const script = provider(Object.fromEntries(sceneNames.map((name) => [name, scenes[name].script])))

  const upstream: Upstream = {
    models: sceneNames,
    model: (name, instructions) => ({
      ...modelOf(chat, 'http://script.invalid', '', name, instructions),
      fetch: inProcess(script, {
        wait: async () => gates.get(name)?.wait(),
        disturb: (moves) => moves.map(named(name)),
      }),
    }),
  }

  function noting(name: string, run: (input: Readonly<Record<string, string>>) => string): Pick<Tool, 'name' | 'run'> {
    return {
      name,
      run(input, { runId }) {
        ran.set(runId, [...(ran.get(runId) ?? []), name])
        return run(input as Readonly<Record<string, string>>)
      },
    }
  }

  const made = await gateway({
    upstream,
    tools: [
      noting('look_up', ({ city }) => `${city} is cold`),
      noting('fail', () => {
        throw new Error('it does not work')
      }),
      { ...noting('remove', ({ path }) => `removed ${path}`), approval: true },
    ],
    storage: async () => memoryStorage(),
    log: (entry) => void (entry.event === 'error' && errors.push(entry)),
  })
  const { url, port, close } = await listen(made, { host: '127.0.0.1', port: 0, limits: { drainMs: 50, lastMs: 2000 } })

  return {
    port,
    async runsOf(scene) {
      const { items } = (await (await fetch(`${url}/v1/runs?limit=200`)).json()) as { readonly items: readonly Run[] }
      return items.filter(({ model }) => model === scene).toReversed()
    },
    async cancel(runId) {
      await fetch(`${url}/v1/runs/${runId}/cancel`, { method: 'POST' })
    },
    waits: async (scene) => gates.get(scene)?.reached,
    open: (scene) => gates.get(scene)?.open(),
    requests: (scene) => script.requests.filter(({ model }) => model === scene).length,
    ran: (runId) => ran.get(runId) ?? [],
    errors,
    close,
  }
}

/** A provider gives no two calls one id, whatever it plays. */
const named =
  (scene: string) =>
  (move: Move): Move =>
    move.type === 'send' ? { ...move, text: move.text.replaceAll('"call_', `"${scene.replaceAll(' ', '-')}_`) } : move

interface Gate {
  readonly reached: Promise<void>
  /** Settles when it is open. */
  wait(): Promise<void>
  open(): void
}

function gate(): Gate {
  let reach: () => void = () => undefined
  let open: () => void = () => undefined
  const reached = new Promise<void>((resolve) => (reach = resolve))
  const opened = new Promise<void>((resolve) => (open = resolve))
  return {
    reached,
    wait() {
      reach()
      return opened
    },
    open,
  }
}
