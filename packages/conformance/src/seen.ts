/** What a person sees of a run, in the words of no wire; and whether two of them saw the same. */
import { equalJson, type Json } from '@factwire/core'

/** `running`: the stream just stopped, and nobody said that it was over. */
export type SeenStatus = 'running' | 'waiting' | 'finished' | 'failed'

export interface Seen {
  readonly status: SeenStatus
  /** Of a failure. */
  readonly code?: string
  /** One for each assistant message that has text or calls. */
  readonly turns: readonly SeenTurn[]
  readonly state?: Json
  readonly activities?: readonly SeenActivity[]
  /** Ids of the calls that somebody must answer. */
  readonly waitingFor?: readonly string[]
}

export interface SeenTurn {
  /** Compared only where the live stream knew the stored ids. */
  readonly id?: string
  readonly text: string
  readonly reasoning?: string
  readonly calls: readonly SeenCall[]
}

export interface SeenCall {
  readonly id: string
  readonly name: string
  /** Null where the text is no JSON. */
  readonly arguments: Json
  /** The text, where it is no JSON and the client has it. */
  readonly unparsed?: string
  readonly result?: SeenResult
}

export interface SeenResult {
  readonly text: string
  readonly is_error?: boolean
  readonly denied?: boolean
  readonly data?: Json
}

export interface SeenActivity {
  readonly message_id: string
  readonly activity_type: string
  readonly content: Json
}

/** What a client of a wire ended with, and what it said about the stream. */
export interface ClientView extends Seen {
  /** Why it gave the stream up. A failure that the stream itself reports is a `status`, not this. */
  readonly rejected?: string
  /** What it complained of and went on. */
  readonly warnings: readonly string[]
  /** Whatever else a person sees and must find again, such as usage: also who joined late. */
  readonly more?: unknown
}

export interface Comparison {
  /** Ids of turns and calls count. */
  readonly ids: boolean
  /** Reasoning counts: the facts carry its text, and every message has some. */
  readonly reasoning: boolean
  /** What a late client is not told again counts. */
  readonly more: boolean
}

/** The part of a view that must agree. */
export function compared(view: ClientView, { ids, reasoning, more }: Comparison): Json {
  const { status, code, turns, state, activities, waitingFor, more: rest } = view
  // Where ids do not count, it still does which call is waited for: the last that has the id.
  const names = new Map<string, string>()
  let calls = 0
  const named = (id: string): string => {
    const name = ids ? id : `call ${calls++}`
    names.set(id, name)
    return name
  }
  const shown = turns
    .filter((turn) => turn.text !== '' || turn.calls.length > 0 || (reasoning && (turn.reasoning ?? '') !== ''))
    .map((turn) => ({
      ...(ids && turn.id !== undefined ? { id: turn.id } : {}),
      text: turn.text,
      ...(reasoning ? { reasoning: turn.reasoning ?? '' } : {}),
      calls: turn.calls.map((call) => ({ ...call, id: named(call.id) })),
    }))
  const whole = {
    status,
    code,
    state,
    activities,
    turns: shown,
    ...(waitingFor ? { waitingFor: waitingFor.map((id) => names.get(id) ?? id) } : {}),
    ...(more && rest !== undefined ? { more: rest } : {}),
  }
  // What JSON cannot say, such as `undefined`, no person sees.
  return JSON.parse(JSON.stringify(whole)) as Json
}

/** The first place where two values part, and what stands there; undefined where they are equal. */
export interface Difference {
  readonly path: string
  readonly expected: Json | undefined
  readonly actual: Json | undefined
}

export function firstDifference(
  expected: Json | undefined,
  actual: Json | undefined,
  path = '',
): Difference | undefined {
  if (expected === actual || (expected !== undefined && actual !== undefined && equalJson(expected, actual))) {
    return undefined
  }
  if (typeof expected !== 'object' || typeof actual !== 'object' || !expected || !actual) {
    return { path: path || '(whole)', expected, actual }
  }
  const left = new Map(Object.entries(expected) as [string, Json][])
  const right = new Map(Object.entries(actual) as [string, Json][])
  for (const key of new Set([...left.keys(), ...right.keys()])) {
    const inner = Array.isArray(expected) ? `${path}[${key}]` : path ? `${path}.${key}` : key
    const difference = firstDifference(left.get(key), right.get(key), inner)
    if (difference) return difference
  }
  return { path: path || '(whole)', expected, actual }
}
