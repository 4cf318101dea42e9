/** What a request says that its thread has not heard yet. */
import type { Message, RunRequest } from '@factwire/core'
import type { RunRecord } from '@factwire/hub'
import { Refused } from './refused.ts'
import type { KeptRun } from './storage.ts'

/** What the system says is for a run to be told, and begins none. */
export const hasNews = ({ messages, decisions }: RunRequest): boolean =>
  messages.some(({ role }) => role !== 'system') || decisions.length > 0

/** Whether it says something to a call. */
export const answers = ({ messages, decisions }: RunRequest): boolean =>
  decisions.length > 0 || messages.some(({ content }) => content.some(({ type }) => type === 'tool_result'))

/** @throws Refused where another request has come under the same key. */
export function checkSame({ run }: RunRecord, digest: string | undefined): void {
  const { digest: first }: KeptRun = run as KeptRun
  if (digest === undefined || first === undefined || digest === first) return
  throw new Refused(
    422,
    'idempotency_key_reused',
    'another request has come under that idempotency key: take a new one',
    {
      more: { run_id: run.runId },
    },
  )
}

/** Whether a request begins with all that users have said in a thread. */
export function saysTheSame(thread: readonly Message[], request: readonly Message[]): boolean {
  const told = (messages: readonly Message[]): readonly string[] =>
    messages.filter(({ role }) => role === 'user').map(({ content }) => JSON.stringify(content))
  const asked = told(request)
  return told(thread).every((words, index) => words === asked[index])
}
