/**
 * The AI SDK's chats, as their own transport asks: `api: '/v1/ai-sdk'`. A chat is a thread, and what goes on in it is read again at
 * `/v1/ai-sdk/{id}/stream`.
 */
import { aiSdk, type AiSdkOptions, type AiSdkRequest, type UiFrame } from '@factwire/ai-sdk'
import type { Call, Mount } from '../mount.ts'

export const mount: Mount<UiFrame, AiSdkOptions, AiSdkRequest> = {
  protocol: aiSdk,
  starts: [
    {
      path: '/v1/ai-sdk',
      messageIds: 'client',
      thread: ({ threadId }) => threadId,
      again: ({ trigger, messages }) =>
        trigger === 'regenerate-message' ? messages.findLast(({ role }) => role === 'user')?.id : undefined,
      // What a page adds to its requests stands beside what the chat says.
      model: ({ rest }) => (typeof rest['model'] === 'string' ? rest['model'] : undefined),
      transcoder: ({ continues }, _place, call) => ({
        ...targetOf(call),
        ...(continues === undefined ? {} : { messageId: continues }),
      }),
    },
  ],
  reads: [
    {
      path: '/v1/ai-sdk/:id/stream',
      of: ({ param }) => ({ thread: param('id') ?? '' }),
      position: () => undefined,
      transcoder: (call) => targetOf(call),
      liveOnly: true,
    },
  ],
  history: (committed, call) => aiSdk.history(committed, targetOf(call)),
}

/** `?target=v5` or `v7`: the oldest major whose client has to understand the stream. Which it is a client does not say. */
function targetOf({ query }: Call): Pick<AiSdkOptions, 'target'> {
  const target = query('target')
  return target === 'v5' || target === 'v6' || target === 'v7' ? { target } : {}
}
