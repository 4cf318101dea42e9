import fc from 'fast-check'
import { expect, test } from 'vitest'
import { framing } from '../src/framing.ts'
import { transcoder } from '../src/transcoder.ts'

test('a piece of content is written as JSON writes it, whatever it holds', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), fc.nat(), (content, model, startedAt) => {
      const target = transcoder({ threadId: 't', runId: 'r"1', model, startedAt })
      target.fact({ type: 'run_started' })
      for (const frame of target.delta({ type: 'text_delta', delta: `${content}x` })) {
        const text = framing.text(frame)
        expect(JSON.parse(text.slice('data: '.length))).toEqual(frame)
        expect(text).not.toMatch(/[\u2028\u2029\u0085]/)
      }
    }),
    { seed: 1, numRuns: 300 },
  )
})

test('a chunk with anything beside the content keeps it', () => {
  const chunk = {
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta: { content: 'x' }, finish_reason: null }],
  }
  const others = [
    chunk,
    { ...chunk, usage: null },
    { ...chunk, choices: [{ index: 0, delta: { content: 'x', role: 'assistant' }, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: { content: 'x' }, finish_reason: 'stop' }] },
    { ...chunk, choices: [{ index: 0, delta: { content: 'x' }, finish_reason: null, logprobs: null }] },
    { ...chunk, choices: [...chunk.choices, ...chunk.choices] },
    { ...chunk, created: '1' },
  ]
  for (const frame of others) expect(JSON.parse(framing.text(frame).slice('data: '.length))).toEqual(frame)
})
