/** A process that dies at a chosen moment: at some call of a port it stops, before or after the call did its work, and does no more. */
import type { AgentOptions, Output, Tool } from '../src/index.ts'

export interface Crash {
  /** Which call of a port, counted from 0. */
  readonly at: number
  /** Whether that call still does its work. */
  readonly done: boolean
}

export interface Mortal {
  readonly options: Pick<AgentOptions, 'fetch' | 'journal' | 'checkpoints' | 'tools'>
  readonly output: Output
  readonly crashed: Promise<void>
  /** What was called, in its order. */
  readonly calls: readonly string[]
}

type Ports = Required<Pick<AgentOptions, 'fetch' | 'journal' | 'checkpoints' | 'tools'>> & { readonly output: Output }

export function mortal({ fetch, journal, checkpoints, tools, output }: Ports, crash?: Crash): Mortal {
  const calls: string[] = []
  let dead = false
  let die = (): void => undefined
  const crashed = new Promise<void>((resolve) => {
    die = resolve
  })

  async function port<Value>(name: string, work: () => Value | Promise<Value>): Promise<Value> {
    if (dead) return new Promise(() => undefined)
    const isLast = crash?.at === calls.length
    calls.push(name)
    if (!isLast) {
      const value = await work()
      return dead ? new Promise(() => undefined) : value
    }
    dead = true
    // What it throws is of a process that is no more.
    if (crash?.done) await (async () => work())().catch(() => undefined)
    die()
    return new Promise(() => undefined)
  }

  const mortalTool = (tool: Tool): Tool => ({
    ...tool,
    run: (input, context) => port(`run ${tool.name}`, () => tool.run(input, context)),
  })

  return {
    calls,
    crashed,
    output: { write: (written) => port('write', () => output.write(written)) },
    options: {
      tools: tools.map(mortalTool),
      journal: {
        read: (runId) => port('journal.read', () => journal.read(runId)),
        add: (runId, notes) => port('journal.add', () => journal.add(runId, notes)),
        claim: (runId, callId) => port('journal.claim', () => journal.claim(runId, callId)),
        clear: (runId) => port('journal.clear', () => journal.clear(runId)),
      },
      checkpoints: {
        put: (checkpoint) => port('checkpoints.put', () => checkpoints.put(checkpoint)),
        get: (runId) => port('checkpoints.get', () => checkpoints.get(runId)),
        delete: (runId) => port('checkpoints.delete', () => checkpoints.delete(runId)),
      },
      async fetch(url, init) {
        const response = await port('fetch', () => fetch(url, init))
        const reader = response.body?.getReader()
        const body = new ReadableStream<Uint8Array>(
          {
            async pull(controller) {
              const next = await port('body', async () => reader?.read())
              if (!next || next.done) controller.close()
              else controller.enqueue(next.value)
            },
          },
          { highWaterMark: 0 },
        )
        return new Response(body, response)
      },
    },
  }
}
