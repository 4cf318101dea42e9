/** What a request says that its thread has not heard yet. */
import type { Message, RunRequest } from '@factwire/core'

/** What the system says is for a run to be told, and begins none. */
export const hasNews = ({ messages, decisions }: RunRequest): boolean =>
  messages.some(({ role }) => role !== 'system') || decisions.length > 0

/** Whether it says something to a call. */
export const answers = ({ messages, decisions }: RunRequest): boolean =>
  decisions.length > 0 || messages.some(({ content }) => content.some(({ type }) => type === 'tool_result'))

/** Whether a request begins with all that users have said in a thread. */
export function saysTheSame(thread: readonly Message[], request: readonly Message[]): boolean {
  const told = (messages: readonly Message[]): readonly string[] =>
    messages.filter(({ role }) => role === 'user').map(({ content }) => JSON.stringify(content))
  const asked = told(request)
  return told(thread).every((words, index) => words === asked[index])
}
