/** An agent that speaks new-wire, for the torture of its decoder. */
import type { Speaker, SpokenCall } from '@factwire/conformance'
import type { Frame } from '../src/wire.ts'

interface Told {
  readonly call: SpokenCall & { readonly id: string }
  args: string
}

export function speaker(): Speaker {
  const calls = new Map<string, Told>()
  const message = (...frames: readonly Frame[]): string =>
    frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join('')

  return {
    finishEnds: true,
    start: () => message({ type: 'start', run: 'run-1', replay: false }, { type: 'message', id: 'message-1' }),
    text: (text) => message({ type: 'text', text }),
    call({ index, id, name }) {
      // Calls are told apart by their ids alone.
      if (id === undefined || (calls.get(id)?.call.index ?? index) !== index) return undefined
      calls.set(id, { call: { index, id, name }, args: '' })
      return ''
    },
    args({ id = '' }, piece) {
      const told = calls.get(id)
      if (told) told.args += piece
      return ''
    },
    finish(reason) {
      // A run that is finished has the results of its calls, and one that waits says for which.
      if ((reason === 'calls') !== calls.size > 0) return undefined
      const told = [...calls.values()].map(({ call: { id, name }, args }): Frame => ({
        type: 'call',
        id,
        name,
        arguments: args || '{}',
        by: 'client',
      }))
      const waiting = [...calls.keys()].map((call) => ({ call, by: 'client' }) as const)
      const reasons = { stop: 'finished', calls: 'waiting', length: 'exhausted' } as const
      return message(...told, { type: 'end', reason: reasons[reason], waiting })
    },
    // This wire has no words for them.
    usage: () => undefined,
    done: () => undefined,
    error: (error, beside) => (beside === undefined ? message({ type: 'error', ...error }) : undefined),
    keepAlive: () => ': heartbeat\n\n',
  }
}
