import { expect, test } from 'vitest'
import { chunk, data, done, finish, outcomeOf, text } from './streams.ts'

const counted = { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 }
const usageOf = async (...body: string[]) => (await outcomeOf(text('Hi') + body.join('') + done)).usage

test('row 26: usage stands on a chunk of its own, with or without choices', async () => {
  expect(await usageOf(finish('stop'), chunk([], { usage: counted }))).toEqual(counted)
  expect(await usageOf(finish('stop'), data({ id: 'x', usage: counted }))).toEqual(counted)
  expect(await usageOf(finish('stop'), data({ id: 'x', choices: null, usage: counted }))).toEqual(counted)
})

test('row 27: usage stands on the finish chunk', async () => {
  expect(await usageOf(finish('stop', { usage: counted }))).toEqual(counted)
})

test('rows 28 and 31: usage stands in other places', async () => {
  expect(await usageOf(finish('stop', { x_groq: { id: 'req', usage: counted } }))).toEqual(counted)
  expect(await usageOf(chunk([{ index: 0, delta: {}, finish_reason: 'stop', usage: counted }]))).toEqual(counted)
})

test('row 29: usage on every chunk is cumulative, and zeros say nothing', async () => {
  const grown = [1, 3, 7].map((completion) =>
    chunk([], { usage: { prompt_tokens: 5, completion_tokens: completion, total_tokens: 5 + completion } }),
  )
  expect(await usageOf(...grown, finish('stop'))).toEqual(counted)
  const zeros = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }
  expect(await usageOf(finish('stop', { usage: counted }), chunk([], { usage: zeros }))).toEqual(counted)
  expect(await usageOf(finish('stop', { usage: zeros }))).toBeUndefined()
  const less = { prompt_tokens: 5, completion_tokens: 0, total_tokens: 12 }
  expect(await usageOf(finish('stop', { usage: counted }), chunk([], { usage: less }))).toEqual(counted)
})

test('row 30: a later null takes nothing back', async () => {
  expect(await usageOf(finish('stop', { usage: counted }), chunk([], { usage: null, moderation: {} }))).toEqual(counted)
})

test('row 32: reasoning left out of completion is added, as the sum shows', async () => {
  const usage = {
    prompt_tokens: 291,
    completion_tokens: 26,
    total_tokens: 513,
    completion_tokens_details: { reasoning_tokens: 196 },
  }
  expect(await usageOf(finish('stop', { usage }))).toEqual({
    prompt_tokens: 291,
    completion_tokens: 222,
    total_tokens: 513,
    thinking_tokens: 196,
  })
  const included = { ...counted, completion_tokens_details: { reasoning_tokens: 6 } }
  expect(await usageOf(finish('stop', { usage: included }))).toEqual({ ...counted, thinking_tokens: 6 })
})

test('cached tokens left out of prompt are added, as the sum shows', async () => {
  const usage = {
    prompt_tokens: 5,
    completion_tokens: 7,
    total_tokens: 22,
    prompt_tokens_details: { cached_tokens: 8, cache_write_tokens: 2 },
  }
  expect(await usageOf(finish('stop', { usage }))).toEqual({
    prompt_tokens: 15,
    completion_tokens: 7,
    total_tokens: 22,
    cache_read_tokens: 8,
    cache_creation_tokens: 2,
  })
})

test('a missing total is the sum, nested nulls are absent', async () => {
  const usage = {
    prompt_tokens: 5,
    completion_tokens: 7,
    total_tokens: null,
    prompt_tokens_details: null,
    completion_tokens_details: null,
  }
  expect(await usageOf(finish('stop', { usage }))).toEqual(counted)
  expect(
    await usageOf(finish('stop', { usage: { prompt_tokens: 5 } }), chunk([], { usage: { completion_tokens: 7 } })),
  ).toEqual(counted)
  const early = { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 }
  const late = { prompt_tokens: 5, completion_tokens: 7 }
  expect(await usageOf(chunk([], { usage: early }), finish('stop', { usage: late }))).toEqual(counted)
  expect(await usageOf(finish('stop', { usage: { prompt_tokens: 'many', completion_tokens: -1 } }))).toBeUndefined()
})

test('the cached tokens of DeepSeek have a name of their own', async () => {
  expect(await usageOf(finish('stop', { usage: { ...counted, prompt_cache_hit_tokens: 4 } }))).toEqual({
    ...counted,
    cache_read_tokens: 4,
  })
})
