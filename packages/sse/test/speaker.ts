/** An agent that speaks the wire of flat events, for the torture of a decoder. */
import type { Speaker, SpokenCall } from '@factwire/conformance'
import { type Json, parseJson } from '@factwire/core'
import type { FlatEvent } from '../src/wire.ts'

const RUN = { thread_id: 'thread-1', run_id: 'run-1' }

interface Told {
  readonly call: SpokenCall & { readonly id: string }
  args: string
}

export function speaker(): Speaker {
  const calls = new Map<string, Told>()
  let seq = 0
  const message = (...events: readonly FlatEvent[]): string =>
    events.map((event) => `id: ${seq++}\ndata: ${JSON.stringify(event)}\n\n`).join('')

  return {
    finishEnds: true,
    start: () => message({ event_type: 'run_start', ...RUN }, { event_type: 'step_start', message_id: 'message-1' }),
    text: (delta) => message({ event_type: 'text_delta', delta }),
    call({ index, id, name }) {
      // Calls are told apart by their ids alone.
      if (id === undefined || (calls.get(id)?.call.index ?? index) !== index) return undefined
      calls.set(id, { call: { index, id, name }, args: '' })
      return message({ event_type: 'tool_call_start', id, name })
    },
    args({ id = '' }, piece) {
      const told = calls.get(id)
      if (!told) return undefined
      told.args += piece
      return message({ event_type: 'tool_call_delta', id, args_delta: piece })
    },
    finish(reason) {
      // A run that is finished has the results of its calls, and one that waits says for which.
      if ((reason === 'calls') !== calls.size > 0) return undefined
      const ready = [...calls.values()].map(readyOf)
      if (ready.includes(undefined)) return undefined
      const events = ready.flatMap((each) => each ?? [])
      if (reason === 'calls') {
        return message(
          ...events,
          { event_type: 'step_end' },
          { event_type: 'run_finish', ...RUN, termination: { type: 'suspended' } },
        )
      }
      const termination =
        reason === 'stop'
          ? ({ type: 'natural_end' } as const)
          : ({ type: 'stopped', value: { code: 'length' } } as const)
      return message({ event_type: 'step_end' }, { event_type: 'run_finish', ...RUN, termination })
    },
    usage: ({ prompt, completion }) =>
      message({
        event_type: 'inference_complete',
        model: 'm',
        usage: { prompt_tokens: prompt, completion_tokens: completion },
        duration_ms: 1,
      }),
    error: ({ code, message: value }, beside) =>
      beside === undefined
        ? message({ event_type: 'run_finish', ...RUN, result: { code }, termination: { type: 'error', value } })
        : undefined,
    keepAlive: () => ': heartbeat\n\n',
    done: () => undefined,
  }
}

/** The truth of a call, and that it waits; undefined where its arguments are no value. */
function readyOf({ call: { id, name }, args }: Told): FlatEvent[] | undefined {
  let input: Json
  try {
    input = args === '' ? {} : parseJson(args)
  } catch {
    return undefined
  }
  return [
    { event_type: 'tool_call_ready', id, name, arguments: input },
    {
      event_type: 'tool_call_done',
      id,
      message_id: '',
      result: {
        tool_name: name,
        status: 'pending',
        data: null,
        message: null,
        suspension: {
          suspension: { id, action: `tool:${name}` },
          pending: { id, name, arguments: input },
          resume_mode: 'use_decision_as_tool_result',
        },
      },
      outcome: 'suspended',
    },
  ]
}
