/** Chat completions: streamed or not. A thread by the header `x-thread-id`; without it the request's history is the thread. */
import { type ChatFrame, type ChatRequest, openaiChat, type OpenAiChatOptions } from '@factwire/openai-chat'
import type { Mount } from '../mount.ts'

/** A tool that a client may bring to let somebody approve: without it a run that needs that fails. */
const APPROVAL_TOOL = 'approve'

export const mount: Mount<ChatFrame, OpenAiChatOptions, ChatRequest> = {
  protocol: openaiChat,
  starts: [
    {
      path: '/v1/chat/completions',
      messageIds: 'server',
      thread: (_asked, { header }) => header('x-thread-id'),
      transcoder: optionsOf,
      complete: (facts, run, asked) => openaiChat.complete(facts, run, optionsOf(asked)),
    },
  ],
  // As `stream_options` says it in a request.
  events: ({ query }) => ({ includeUsage: query('include_usage') === 'true' }),
}

function optionsOf({ tools, includeUsage }: ChatRequest): OpenAiChatOptions {
  const names = tools.map(({ name }) => name)
  return {
    clientTools: names,
    includeUsage,
    reasoning: 'reasoning_content',
    ...(names.includes(APPROVAL_TOOL) ? { approvalTool: APPROVAL_TOOL } : {}),
  }
}
