/** Two outcomes in, how they differ out, as lines: what, where, and both sides. Nothing here is safe to print yet. */
import { type Json, equalJson, isObject } from '@factwire/core'
import type { CallOutcome, RunOutcome } from './outcome.ts'

export interface Difference {
  /** What differs, and where in it. */
  readonly at: string
  readonly left: string
  readonly right: string
}

export const NOTHING = 'nothing'

/** In the order in which a reader would look: how it ended, what was said, what was called, what was left. */
export function differences(left: RunOutcome, right: RunOutcome): readonly Difference[] {
  return [
    ...one('status', left.status, right.status),
    ...one('failure code', left.code, right.code),
    ...texts(left.texts, right.texts),
    ...calls(left.calls, right.calls),
    ...values('state', left.state, right.state),
  ]
}

function one(at: string, left: string | undefined, right: string | undefined): readonly Difference[] {
  return left === right ? [] : [{ at, left: left ?? NOTHING, right: right ?? NOTHING }]
}

/** A wire that has one message for a whole run puts a blank line where another begins the next. */
function texts(left: readonly string[], right: readonly string[]): readonly Difference[] {
  if (left.join('\n\n') === right.join('\n\n')) return []
  let index = 0
  while (left[index] === right[index]) index++
  const [ours, theirs] = [left[index] ?? '', right[index] ?? '']
  const from = commonLength(ours, theirs)
  const at = `text of message ${index + 1}, from character ${from + 1}`
  return [{ at, left: excerpt(ours, from), right: excerpt(theirs, from) }]
}

function commonLength(left: string, right: string): number {
  let length = 0
  while (length < left.length && left[length] === right[length]) length++
  return length
}

const BEFORE = 12
const AFTER = 40

/** A little of what both have, then what only this one has. */
function excerpt(text: string, from: number): string {
  if (text === '') return NOTHING
  const start = Math.max(0, from - BEFORE)
  const end = Math.min(text.length, from + AFTER)
  return `${start > 0 ? '…' : ''}${JSON.stringify(text.slice(start, end))}${end < text.length ? '…' : ''}`
}

function calls(left: readonly CallOutcome[], right: readonly CallOutcome[]): readonly Difference[] {
  const found: Difference[] = []
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const [ours, theirs] = [left[index], right[index]]
    const at = `call ${index + 1}`
    if (!ours || !theirs || ours.name !== theirs.name) {
      found.push(...one(at, ours?.name, theirs?.name))
      continue
    }
    found.push(...values(`${at} (${ours.name}), arguments`, ours.arguments, theirs.arguments))
    found.push(...values(`${at} (${ours.name}), result`, jsonOf(ours.result), jsonOf(theirs.result)))
  }
  return found
}

const jsonOf = (result: CallOutcome['result']): Json | undefined => (result ? { ...result } : undefined)

/** The first place where two values part. */
function values(at: string, left: Json | undefined, right: Json | undefined): readonly Difference[] {
  if (left === right || (left !== undefined && right !== undefined && equalJson(left, right))) return []
  if (isObject(left) && isObject(right)) {
    for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
      const inner = values(`${at}.${key}`, member(left, key), member(right, key))
      if (inner.length > 0) return inner
    }
  }
  if (Array.isArray(left) && Array.isArray(right)) {
    for (let index = 0; index < Math.max(left.length, right.length); index++) {
      const inner = values(`${at}[${index}]`, left[index], right[index])
      if (inner.length > 0) return inner
    }
  }
  return [{ at, left: shown(left), right: shown(right) }]
}

const member = (from: { readonly [key: string]: Json }, key: string): Json | undefined =>
  Object.hasOwn(from, key) ? from[key] : undefined

const shown = (value: Json | undefined): string => (value === undefined ? NOTHING : JSON.stringify(value))
