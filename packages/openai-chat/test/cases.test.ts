import { readFileSync } from 'node:fs'
import type { Failure, Json, TokenUsage } from '@factwire/core'
import { expect, test } from 'vitest'
import { withShared } from '../../../testing/shared.ts'
import { type Called, type Outcome, outcomeOf } from './streams.ts'

interface Case {
  readonly id: string
  readonly title: string
  readonly body: string
  /** In how many pieces the body was written. */
  readonly writes?: number
  readonly connection?: string
  readonly expect: Expected | null
}
interface Expected {
  readonly text: string
  readonly reasoning: string
  readonly tool_calls: readonly ExpectedCall[]
  readonly finish: string
  readonly usage: { readonly [name: string]: number | null } | null
  readonly error: { readonly message: string | null } | null
}
interface ExpectedCall {
  readonly id: string | null
  readonly name: string
  readonly input: Json
  readonly raw?: string
  readonly executable?: boolean
}

withShared('cases/openai-chat-streams.jsonl', (path) => {
  const lines = readFileSync(path, 'utf8').split('\n')
  const cases = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Case)

  const read = ({ body, writes = 1, connection }: Case): Promise<Outcome> => {
    const size = Math.ceil(new TextEncoder().encode(body).length / writes)
    return outcomeOf(body, {}, { cuts: [Math.max(1, size)], broken: connection?.includes('destroyed') ?? false })
  }

  const decided = cases.flatMap((one) => (one.expect ? [{ ...one, expect: one.expect }] : []))
  test.each(decided)('decodes case $id: $title', async (one) => {
    const { text, reasoning, finish, calls, usage, error } = await read(one)
    expect({ text, reasoning, finish }).toEqual({
      text: one.expect.text,
      reasoning: one.expect.reasoning,
      finish: one.expect.finish,
    })
    expect(calls).toMatchObject(one.expect.tool_calls.map(callLike))
    expect(usageLike(usage, one.expect.usage)).toEqual(one.expect.usage)
    expect(errorLike(error, one.expect.error)).toEqual(one.expect.error)
  })

  // A matter of taste, but never an empty success.
  test.each(cases.filter((one) => one.expect === null))('gives something for case $id: $title', async (one) => {
    const { text, finish, calls } = await read(one)
    expect([finish, text, calls.length]).not.toEqual(['stop', '', 0])
  })
})

function callLike({ id, name, input, raw, executable = true }: ExpectedCall): Partial<Called> {
  const what = raw === undefined ? { input, executable } : { input: null, raw, executable: false }
  return { ...(id === null ? {} : { id }), name, ...what }
}

/** A count that is expected as null may be anything but a zero that nobody counted. */
function usageLike(usage: TokenUsage | undefined, expected: Expected['usage']): Expected['usage'] {
  if (!usage) return null
  if (!expected) return { ...usage }
  const counts = new Map(Object.entries(usage))
  return Object.fromEntries(
    Object.entries(expected).map(([name, count]) => {
      const actual = counts.get(name)
      return [name, count === null && actual !== 0 ? null : (actual ?? null)]
    }),
  )
}

function errorLike(error: Failure | undefined, expected: Expected['error']): Expected['error'] {
  if (!error) return null
  return { message: expected?.message === null ? null : (error.message ?? null) }
}
