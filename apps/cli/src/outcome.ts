/** Neutral events in, what a client ends with out: run by run, in the words of no wire. */
import { type AgentEvent, type ContentBlock, type Fact, type Json, type TokenUsage, textOf } from '@factwire/core'
import { describeEnd } from './describe.ts'
import { addTokens } from './tokens.ts'

export interface RunOutcome {
  /** `finished`, `awaiting` or `failed`, and why, where there is more to say than the one natural way. */
  readonly status: string
  readonly failure?: FailureOutcome
  /** One for each message that has any. */
  readonly texts: readonly string[]
  /** What was thought aloud: one for each message. */
  readonly thoughts: readonly string[]
  readonly calls: readonly CallOutcome[]
  readonly asked: readonly AskedOutcome[]
  readonly activities: readonly ActivityOutcome[]
  readonly state?: Json
  /** What the run as a whole gives. */
  readonly result?: Json
  /** Of all its model calls. */
  readonly usage?: TokenUsage
}

export interface FailureOutcome {
  readonly code: string
  readonly message: string
}

export interface CallOutcome {
  readonly name: string
  /** Undefined where the call was made before this run waited, and only its result is here. */
  readonly arguments?: Json
  readonly result?: ResultOutcome
}

export interface ResultOutcome {
  readonly text: string
  /** What is no text in it. */
  readonly media: readonly Json[]
  readonly is_error: boolean
  readonly denied: boolean
  readonly cancelled: boolean
  readonly data?: Json
}

/** What somebody is asked before the run goes on. */
export interface AskedOutcome {
  /** The name of the call that waits for it, or else its id. */
  readonly call: string
  readonly question: { readonly [key: string]: Json }
}

export interface ActivityOutcome {
  readonly type: string
  readonly content: Json
}

/**
 * Keeps what one run comes to, and nothing of those before it but the names of calls that still wait. A run that goes on after it had
 * waited is another one here.
 */
export async function* runOutcomes(events: AsyncIterable<AgentEvent>): AsyncGenerator<RunOutcome> {
  const waiting = new Map<string, string>()
  let run = newRun(waiting)
  for await (const { tier, event } of events) {
    if (tier === 'delta') continue
    const end = run.add(event)
    if (!end) continue
    yield end
    if (event.type !== 'awaiting') waiting.clear()
    run = newRun(waiting)
  }
}

/** A call while its result may still come. */
interface MadeCall {
  readonly id: string
  readonly call: { -readonly [Key in keyof CallOutcome]: CallOutcome[Key] }
}

interface RunBuilder {
  /** Gives the outcome with the fact that ends it. */
  add(fact: Fact): RunOutcome | undefined
}

/** `waiting` are the calls without a result, by id. */
function newRun(waiting: Map<string, string>): RunBuilder {
  const texts: string[] = []
  const thoughts: string[] = []
  const calls: MadeCall[] = []
  const activities = new Map<string, ActivityOutcome>()
  let asked: readonly AskedOutcome[] = []
  let state: Json | undefined
  let usage: TokenUsage | undefined

  function ended(status: string, more: Pick<RunOutcome, 'failure' | 'result'> = {}): RunOutcome {
    return {
      status,
      ...more,
      texts,
      thoughts,
      calls: calls.map(({ call }) => call),
      asked,
      activities: [...activities.values()],
      ...(state === undefined ? {} : { state }),
      ...(usage ? { usage: withTotal(usage) } : {}),
    }
  }

  function callOf(id: string, name: string | undefined): MadeCall {
    const made = calls.find((candidate) => candidate.id === id && !candidate.call.result)
    if (made) return made
    const earlier = { id, call: { name: waiting.get(id) ?? name ?? id } }
    calls.push(earlier)
    return earlier
  }

  return {
    add(fact) {
      switch (fact.type) {
        case 'assistant_message':
          texts.push(textOf(fact.content))
          return undefined
        case 'assistant_thinking':
          if (fact.text) thoughts.push(fact.text)
          return undefined
        case 'tool_call': {
          const { id, name, input, raw_input } = fact
          waiting.set(id, name)
          // What does not parse has no value, only its text.
          calls.push({ id, call: { name, arguments: input ?? raw_input ?? null } })
          return undefined
        }
        case 'tool_result': {
          const { id, name, content, is_error, denied = false, cancelled = false, data } = fact
          callOf(id, name).call.result = {
            text: textOf(content),
            media: content.filter(({ type }) => type !== 'text').map(jsonOf),
            is_error,
            denied,
            cancelled,
            ...(data === undefined ? {} : { data }),
          }
          waiting.delete(id)
          return undefined
        }
        case 'inference_completed':
          if (fact.usage) usage = addTokens(usage, fact.usage)
          return undefined
        case 'state_snapshot':
          state = fact.snapshot
          return undefined
        case 'activity_snapshot': {
          const { message_id, activity_type: type, content, replace = true } = fact
          if (replace || !activities.has(message_id)) activities.set(message_id, { type, content })
          return undefined
        }
        case 'awaiting': {
          const pending = fact.pending ?? [fact.pending_tool_use_id ?? []].flat().map((id) => ({ tool_use_id: id }))
          asked = pending.map(({ tool_use_id: id, ...question }) => ({
            call: waiting.get(id) ?? id,
            question: { ...question },
          }))
          return ended('awaiting')
        }
        case 'run_finished': {
          const why = describeEnd(fact)
          const { result } = fact
          const status = why === '' || why === 'natural end' ? 'finished' : `finished (${why})`
          return ended(status, result === undefined ? {} : { result })
        }
        case 'run_failed': {
          const { code, message } = fact
          return ended('failed', { failure: { code, message } })
        }
        default:
          return undefined
      }
    },
  }
}

const jsonOf = (block: ContentBlock): Json => JSON.parse(JSON.stringify(block)) as Json

/** Some wires leave the sum to the reader. */
function withTotal(usage: TokenUsage): TokenUsage {
  const { prompt_tokens: prompt, completion_tokens: completion } = usage
  if (usage.total_tokens !== undefined || prompt === undefined || completion === undefined) return usage
  return { ...usage, total_tokens: prompt + completion }
}
