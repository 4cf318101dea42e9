/** Two outcomes in, how they differ out, as lines: what, where, and both sides. Nothing here is safe to print yet. */
import { type Json, equalJson, isObject } from '@factwire/core'
import { isStreamFailure } from './input.ts'
import type { ActivityOutcome, AskedOutcome, CallOutcome, FailureOutcome, RunOutcome } from './outcome.ts'

export interface Difference {
  /** What differs, and where in it. */
  readonly at: string
  readonly left: string
  readonly right: string
}

export const NOTHING = 'nothing'

/** In the order in which a reader would look: how it ended, what was said, what was called, what is asked, what was left. */
export function differences(left: RunOutcome, right: RunOutcome): readonly Difference[] {
  return [
    ...one('status', left.status, right.status),
    ...failures(left.failure, right.failure),
    ...texts('text of message', left.texts, right.texts),
    ...texts('reasoning', left.thoughts, right.thoughts),
    ...each('call', left.calls, right.calls, calls),
    ...each('question', left.asked, right.asked, questions),
    ...each('activity', left.activities, right.activities, activities),
    ...values('state', left.state, right.state),
    ...values('result', left.result, right.result),
    ...values('usage', whole(left.usage), whole(right.usage)),
  ]
}

function one(at: string, left: string | undefined, right: string | undefined): readonly Difference[] {
  return left === right ? [] : [{ at, left: left ?? NOTHING, right: right ?? NOTHING }]
}

/** What a reader says of a broken stream is said in the words of its wire. */
function failures(left: FailureOutcome | undefined, right: FailureOutcome | undefined): readonly Difference[] {
  if (left?.code !== right?.code) return one('failure code', left?.code, right?.code)
  if (left === undefined || isStreamFailure(left.code)) return []
  return values('failure message', left.message, right?.message)
}

/** A wire that has one message for a whole run puts a blank line where another begins the next. */
function texts(what: string, left: readonly string[], right: readonly string[]): readonly Difference[] {
  if (left.join('\n\n') === right.join('\n\n')) return []
  let index = 0
  while (left[index] === right[index]) index++
  return [parted(`${what} ${index + 1}`, left[index] ?? '', right[index] ?? '')]
}

/** Where two texts part. */
function parted(at: string, left: string, right: string): Difference {
  const from = commonLength(left, right)
  return { at: `${at}, from character ${from + 1}`, left: excerpt(left, from), right: excerpt(right, from) }
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

// ── Of which there are many ──

interface Kind<Item> {
  name(item: Item): string
  parts(item: Item): readonly (readonly [part: string, value: Json | undefined])[]
}

const calls: Kind<CallOutcome> = {
  name: ({ name }) => name,
  parts: ({ arguments: input, result }) => [
    ['arguments', input],
    ['result', whole(result)],
  ],
}

const questions: Kind<AskedOutcome> = {
  name: ({ call }) => call,
  // By its id the client answers, and nobody sees it.
  parts: ({ question }) =>
    Object.entries(question)
      .filter(([part]) => part !== 'approval_id')
      .toSorted(byName),
}

const activities: Kind<ActivityOutcome> = {
  name: ({ type }) => type,
  parts: ({ content }) => [['content', content]],
}

/** Item by item; of each, the first place in each of its parts. */
function each<Item>(
  what: string,
  left: readonly Item[],
  right: readonly Item[],
  kind: Kind<Item>,
): readonly Difference[] {
  const found: Difference[] = []
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const [ours, theirs] = [left[index], right[index]]
    const at = `${what} ${index + 1}`
    const name = ours && kind.name(ours)
    const same = theirs !== undefined && name === kind.name(theirs)
    if (!ours || !same) found.push(...one(at, name, theirs && kind.name(theirs)))
    else {
      const [mine, other] = [new Map(kind.parts(ours)), new Map(kind.parts(theirs))]
      for (const part of new Set([...mine.keys(), ...other.keys()])) {
        found.push(...values(`${at} (${name}), ${part}`, mine.get(part), other.get(part)))
      }
    }
  }
  return found
}

const byName = ([one]: readonly [string, Json], [other]: readonly [string, Json]): number => (one < other ? -1 : 1)

// ── Values ──

const whole = (value: object | undefined): Json | undefined => (value ? { ...value } : undefined)

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
  // What long texts have in common would fill the line.
  if (typeof left === 'string' && typeof right === 'string' && commonLength(left, right) > BEFORE) {
    return [parted(at, left, right)]
  }
  return [{ at, left: shown(left), right: shown(right) }]
}

const member = (from: { readonly [key: string]: Json }, key: string): Json | undefined =>
  Object.hasOwn(from, key) ? from[key] : undefined

const shown = (value: Json | undefined): string => (value === undefined ? NOTHING : JSON.stringify(value))
