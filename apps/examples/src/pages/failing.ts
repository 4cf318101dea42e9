import type { AgentEvent, Loss, RunContext } from '@factwire/core'
import { openaiChat } from '@factwire/openai-chat'
import { respond } from '@factwire/sse'

/** Nothing is lost without a word: `strict` fails the run instead, as `loss_refused`. */
export function answer(
  events: AsyncIterable<AgentEvent>,
  run: RunContext,
  log: (what: string) => void,
  strict: boolean,
): Response {
  const onLoss = ({ fact, fate }: Loss): void => log(`${fact.type} is ${fate.kept}`)
  return respond(openaiChat, events, run, { onLoss, strict, onError: (error) => log(String(error)) })
}
