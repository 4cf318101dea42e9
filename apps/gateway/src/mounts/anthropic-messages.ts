/** Anthropic's Messages: streamed or not. A thread by the header `x-thread-id`; without it the request's history is the thread. */
import {
  anthropicMessages,
  type AnthropicMessagesOptions,
  approvedCall,
  type MessagesFrame,
  type MessagesRequest,
} from '@factwire/anthropic-messages'
import type { Mount } from '../mount.ts'

/** A tool that a client may bring to let somebody approve: without it a run that needs that fails. */
const APPROVAL_TOOL = 'approve'

export const mount: Mount<MessagesFrame, AnthropicMessagesOptions, MessagesRequest> = {
  protocol: anthropicMessages,
  starts: [
    {
      path: '/v1/messages',
      messageIds: 'server',
      thread: (_asked, { header }) => header('x-thread-id'),
      transcoder: optionsOf,
      callOf: approvedCall,
      complete: (facts, run, asked) => anthropicMessages.complete(facts, run, optionsOf(asked)),
    },
  ],
}

function optionsOf({ tools, thinking }: MessagesRequest): AnthropicMessagesOptions {
  const names = tools.map(({ name }) => name)
  return {
    clientTools: names,
    thinking,
    ...(names.includes(APPROVAL_TOOL) ? { approvalTool: APPROVAL_TOOL } : {}),
  }
}
