import fc from 'fast-check'
import { expect, test } from 'vitest'
import { framing, transcoder } from '../src/index.ts'

test('a fragment is written as JSON writes it, whatever it holds', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), fc.nat(), (content, model, startedAt) => {
      const target = transcoder({ threadId: 't', runId: 'r"1', model, startedAt })
      target.fact({ type: 'run_started' })
      const deltas = [
        ...target.delta({ type: 'text_delta', delta: `${content}x`, message_id: 'm":0,"1' }),
        ...target.delta({
          type: 'tool_call_delta',
          id: 'c":0,',
          name: 'n',
          args_delta: content,
          disposition: 'executed',
        }),
        ...target.delta({ type: 'reasoning_delta', delta: `${content}x` }),
      ]
      for (const frame of deltas) {
        const [event, data] = framing.text(frame).trimEnd().split('\n')
        if (typeof frame === 'string') throw new Error('no event')
        expect(event).toBe(`event: ${frame.type}`)
        expect(JSON.parse((data ?? '').slice('data: '.length))).toEqual(JSON.parse(JSON.stringify(frame)))
        expect(data).not.toMatch(/[\u2028\u2029\u0085]/)
      }
    }),
    { seed: 1, numRuns: 300 },
  )
})
