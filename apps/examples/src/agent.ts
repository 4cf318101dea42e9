/** A stand-in for your agent: says what it was told, word by word. Whoever calls it has the run's ids and the thread so far. */
import { type AgentEvent, type Message, runWriter, textOf } from '@factwire/core'

export interface Asked {
  readonly runId: string
  /** The thread, the newest message last. */
  readonly messages: readonly Message[]
}

export async function* agent({ runId, messages }: Asked): AsyncGenerator<AgentEvent> {
  const run = runWriter({ runId, history: messages })
  const question = textOf(messages.at(-1)?.content ?? [])
  for await (const word of model(question)) yield* run.text(word).events
  yield* run.end().events
}

async function* model(question: string): AsyncGenerator<string> {
  yield 'You said:'
  for (const word of question.split(' ')) {
    if (word === 'crash') throw new Error('the model is gone')
    yield ` ${word}`
  }
}
