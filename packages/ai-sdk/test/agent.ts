/** A small agent with a server's memory: what a chat posts in, a stream out, whatever it says and waits for. */
import {
  type AgentEvent,
  type Committed,
  type Commit,
  type Message,
  type RunWriter,
  runWriter,
  type Standing,
  writer,
  type Written,
} from '@factwire/core'
import { aiSdk, type AiSdkRequest } from '../src/index.ts'
import type { Target } from '../src/wire.ts'

export type Turn = (say: RunWriter, asked: AiSdkRequest) => readonly Written[]

export interface Agent {
  /** Answers a request with the next of its turns. The last one answers all that come after it. */
  respond(body: unknown): Response
  /** What it was asked. */
  readonly asked: AiSdkRequest[]
  /** The bodies of its answers. */
  readonly told: string[]
  committed(): Committed
  messages(): readonly Message[]
}

export function agent(target: Target, ...turns: readonly Turn[]): Agent {
  let messages: readonly Message[] = []
  let standing: Standing = { openCalls: [] }
  let last: Commit | undefined
  let runs = 0
  const asked: AiSdkRequest[] = []
  const told: string[] = []

  function respond(body: unknown): Response {
    const known = new Set(messages.map(({ id }) => id))
    const request = aiSdk.request(body, { known, open: last?.pending ?? [] })
    asked.push(request)
    const users = request.messages.filter(({ role }) => role !== 'tool')
    messages = [...messages, ...users]
    // A run that waits goes on; whoever says something else begins another.
    const goesOn = standing.state?.type === 'awaiting' && users.length === 0
    const history = messages
    const runId = `run-${++runs}`
    const begins = goesOn ? standing : { openCalls: standing.openCalls }
    const say = runWriter({ runId, standing: begins, history, reasoning: 'text' })
    const turn = turns[Math.min(asked.length, turns.length) - 1]
    const events: AgentEvent[] = []
    for (const { events: given, commit } of turn?.(say, request) ?? []) {
      events.push(...given)
      if (!commit) continue
      messages = [...messages, ...commit.messages]
      last = commit
    }
    standing = say.standing()
    const { continues } = request
    const transcoder = { target, ...(continues === undefined ? {} : { messageId: continues }) }
    const { push, close } = writer(aiSdk, { threadId: request.threadId, runId, history }, { transcoder })
    const answer = events.map(push).join('') + close()
    told.push(answer)
    return new Response(answer, {
      headers: { 'content-type': aiSdk.framing.mediaType, ...aiSdk.framing.headers },
    })
  }

  return {
    respond,
    asked,
    told,
    committed: () => ({ messages, standing, ...(last?.pending ? { pending: last.pending } : {}) }),
    messages: () => messages,
  }
}
