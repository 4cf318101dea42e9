/** What a request says that its thread has not heard yet. */
import { isDeepStrictEqual } from 'node:util'
import { type Message, type RunRequest, textOf, type ToolUseBlock } from '@factwire/core'
import { Refused } from './refused.ts'

/** What the system says is for a run to be told, and begins none. */
export const hasNews = ({ messages, decisions }: RunRequest): boolean =>
  messages.some(({ role }) => role !== 'system') || decisions.length > 0

/** Whether it says something to a call. */
export const answers = ({ messages, decisions }: RunRequest): boolean =>
  decisions.length > 0 || messages.some(({ content }) => content.some(({ type }) => type === 'tool_result'))

/** What users say in a request that is not among what was heard. */
export const unheard = ({ messages }: RunRequest, heard: ReadonlySet<string>): boolean =>
  messages.some(({ id, role }) => role === 'user' && !heard.has(id))

/** @throws Refused where another request has come under the same key. */
export function checkSame(runId: string, first: string | undefined, digest: string | undefined): void {
  if (digest === undefined || first === undefined || digest === first) return
  throw new Refused(
    422,
    'idempotency_key_reused',
    'another request has come under that idempotency key: take a new one',
    {
      more: { run_id: runId },
    },
  )
}

/**
 * Whether a request goes on with a thread: it has all that users have said there, and what it has of the agent's words and calls is
 * the thread's. Clients may leave words of the agent out, and join or trim them; a question has an id of its own.
 */
export function goesOnWith(thread: readonly Message[], request: readonly Message[]): boolean {
  const asked = request.filter(isUsers)
  const said = wordsOf(thread)
  const made = callsOf(thread)
  return (
    thread.filter(isUsers).every(({ content }, index) => isDeepStrictEqual(content, asked[index]?.content)) &&
    request.filter(isAgents).every((message) => said.includes(wordsOf([message]))) &&
    callsOf(request).every(({ id, name, input }) => {
      const own = made.filter((call) => call.id === id && call.name === name)
      return own.length === 0 || own.some((call) => isDeepStrictEqual(call.input, input))
    })
  )
}

const isUsers = ({ role }: Message): boolean => role === 'user'
const isAgents = ({ role }: Message): boolean => role === 'assistant'

const wordsOf = (messages: readonly Message[]): string =>
  messages
    .filter(isAgents)
    .map(({ content }) => textOf(content))
    .join('')
    .replaceAll(/\s/g, '')

const callsOf = (messages: readonly Message[]): readonly ToolUseBlock[] =>
  messages.filter(isAgents).flatMap(({ content }) => content.filter((block) => block.type === 'tool_use'))
