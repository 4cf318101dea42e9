import { type AgentEvent, deltaEvent, factEvent, transcode } from '@factwire/core'
import { expect, test } from 'vitest'
import { breaches, factsOf, read } from './passage.ts'
import { type AnyProtocol, type Reading, protocols } from './protocols.ts'

const targets = (await protocols()).filter(
  (protocol): protocol is AnyProtocol & Reading => 'transcoder' in protocol && 'decoder' in protocol,
)

async function* broken(): AsyncGenerator<AgentEvent> {
  yield deltaEvent({ type: 'text_delta', delta: 'too early' })
  throw new Error('401')
}

const sources: readonly { readonly told: string; readonly events: () => AsyncIterable<AgentEvent> | AgentEvent[] }[] = [
  { told: 'a source that breaks', events: broken },
  { told: 'a source that is empty', events: () => [] },
  { told: 'an end', events: () => [factEvent({ type: 'run_finished', exhausted: false })] },
]

/** What a client has read of a stream when it ends, however its source ended. */
async function textOf(pieces: AsyncIterable<string>): Promise<string> {
  let text = ''
  try {
    for await (const piece of pieces) text += piece
  } catch {
    // Whoever serves the stream hears of it; whoever reads it has only the text.
  }
  return text
}

for (const target of targets) {
  test.each(sources)(`${target.name}: $told before the start is a failure, not an empty body`, async ({ events }) => {
    const text = await textOf(transcode(target, events(), { threadId: 't', runId: 'r' }))
    const facts = factsOf(read(target, text)).map(({ event }) => event.type)
    expect([facts[0], facts.at(-1)]).toEqual(['run_started', 'run_failed'])
    expect(breaches(target, text)).toEqual([])
  })
}
