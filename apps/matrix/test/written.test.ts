/** What a server writes of a run, piece by piece and with as little work as it can, is what the frames of the run say. */
import { type AgentEvent, type Encodable, type RunContext, type Transcoder, text, writer } from '@factwire/core'
import { anyDisturbance, anyRun, CLIENT_TOOL, disturb } from '@factwire/conformance'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type AnyProtocol, protocols } from './protocols.ts'

const wires = (await protocols()).filter((protocol): protocol is AnyProtocol => 'transcoder' in protocol)

/** Some wires show more of a run when they are asked to. */
const asked: readonly unknown[] = [undefined, { reasoning: 'reasoning_content', clientTools: [CLIENT_TOOL] }]

function framesOf({ transcoder, framing }: Encodable<unknown>, events: readonly AgentEvent[], run: RunContext): string {
  const { fact, settled, delta, close } = transcoder(run)
  let unsettled = false
  let whole = ''
  events.forEach(({ tier, event }, seq) => {
    if (unsettled && (tier === 'delta' || event.type === 'run_started')) whole += text(framing, settled())
    unsettled = tier === 'fact'
    whole += text(framing, tier === 'fact' ? fact(event) : delta(event), seq)
  })
  return whole + text(framing, settled()) + text(framing, close())
}

for (const wire of wires) {
  test(`${wire.name}: the text of a run is that of its frames`, () => {
    let quick = 0
    const counting = (inner: Transcoder<unknown>): Transcoder<unknown> => ({
      ...inner,
      next(delta) {
        const fragment = inner.next?.(delta)
        if (fragment !== undefined) quick++
        return fragment
      },
    })
    fc.assert(
      fc.property(
        anyRun(),
        anyDisturbance,
        fc.constantFrom(...asked),
        fc.boolean(),
        (run, disturbance, options, known) => {
          const transcoder: typeof wire.transcoder = (context) => counting(wire.transcoder(context, options))
          const events = disturb(run, disturbance, { reasoning: 'text' })
          const context = known ? { ...run.run, history: [] } : run.run
          const { push, close } = writer({ ...wire, transcoder }, context)
          const written = events.map(push).join('') + close()
          expect(written).toBe(framesOf({ ...wire, transcoder }, events, context))
        },
      ),
      { seed: 1, numRuns: Number(process.env['FACTWIRE_RUNS'] ?? 300) },
    )
    expect(quick).toBeGreaterThan(wire.framing.template ? 100 : -1)
  })
}
