import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CLIENT_TOOL, anyDisturbance, anyRun, context, disturb, groupsOf } from '@factwire/conformance'
import { framing } from '../src/framing.ts'
import { transcoder } from '../src/transcoder.ts'
import { readFinal } from './client.ts'
import { eventsOf, summary } from './streams.ts'

const seed = 20_261_130
const numRuns = Number(process.env['FACTWIRE_RUNS'] ?? 300)

test('what the encoder writes, the decoder reads as the official client does', async () => {
  const options = { clientTools: [CLIENT_TOOL], includeUsage: true, approvalTool: 'approve' }
  await fc.assert(
    fc.asyncProperty(anyRun(), anyDisturbance, async (live, disturbance) => {
      const frames = groupsOf(disturb(live, disturbance), transcoder(context, options)).flat()
      const body = frames.map((frame) => framing.text(frame)).join('')
      const client = await readFinal(body)
      const read = summary(await eventsOf(body))
      const wrote = client.toolCalls.map(({ id, name, arguments: written }) => [id, name, written])
      const called = read.calls.map(({ id, name, input, raw }) => [id, name, raw ?? JSON.stringify(input)])
      expect(
        read.error ? { failed: read.error.code } : { text: read.text, calls: called, finish: read.finish },
      ).toEqual(
        client.error ? { failed: client.error.code } : { text: client.text, calls: wrote, finish: client.finish },
      )
    }),
    { seed, numRuns },
  )
}, 3_600_000)
