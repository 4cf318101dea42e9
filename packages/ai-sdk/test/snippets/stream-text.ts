import { aiSdk, fromStreamText, type StreamTextPart } from '@factwire/ai-sdk'
import type { Commit, Message } from '@factwire/core'
import { respond, sse } from '@factwire/sse'

/** The loop of the AI SDK, for any client: `result` is what `streamText` gives. */
export function serve(
  result: { readonly fullStream: AsyncIterable<StreamTextPart> },
  { history, store, accept }: { history: readonly Message[]; store: (commit: Commit) => Promise<void>; accept: string },
): Response {
  const run = { threadId: 'thread-1', runId: 'run-1', history }
  const events = fromStreamText(result.fullStream, { ...run, onCommit: store })
  return accept === 'ai-sdk' ? respond(aiSdk, events, run) : respond(sse, events, run)
}
