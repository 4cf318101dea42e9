/** The AI SDK, as its documentation serves a run of one's own: chunks written to a stream that becomes a response. */
import type { AgentEvent } from '@factwire/core'
import { createUIMessageStream as create6, createUIMessageStreamResponse as respond6 } from 'ai'
import { createUIMessageStream as create7, createUIMessageStreamResponse as respond7 } from 'ai-7'
import type { Contender } from '../contender.ts'
import { drain } from '../drain.ts'
import { spoken, words } from '../shown.ts'
import type { Workload } from '../workload.ts'

/** The chunks that one message of text needs. */
type Chunk =
  | { readonly type: 'start' | 'start-step' | 'finish-step' | 'finish' }
  | { readonly type: 'text-start' | 'text-end'; readonly id: string }
  | { readonly type: 'text-delta'; readonly id: string; readonly delta: string }

type Execute = (write: (chunk: Chunk) => void) => Promise<void>

/** Both versions. The source gives event after event: what is written all at once costs the SDK twice as much. */
export function aiSdk({ events }: Workload): readonly Contender[] {
  async function* source(): AsyncGenerator<AgentEvent> {
    yield* events
  }
  const execute: Execute = async (write) => {
    write({ type: 'start' })
    write({ type: 'start-step' })
    write({ type: 'text-start', id: ID })
    for await (const { event } of source()) {
      if (event.type === 'text_delta') write({ type: 'text-delta', id: ID, delta: event.delta })
    }
    write({ type: 'text-end', id: ID })
    write({ type: 'finish-step' })
    write({ type: 'finish' })
  }
  return [
    contender('ai 6 createUIMessageStream', () =>
      respond6({ stream: create6({ execute: ({ writer }) => execute((chunk) => writer.write(chunk)) }) }),
    ),
    contender('ai 7 createUIMessageStream', () =>
      respond7({ stream: create7({ execute: ({ writer }) => execute((chunk) => writer.write(chunk)) }) }),
    ),
  ]
}

const ID = 'text-1'

const contender = (name: string, respond: () => Response): Contender => ({
  name,
  run: (take) => drain(respond().body, take),
  shows: (output) => words(spoken(output)),
})
