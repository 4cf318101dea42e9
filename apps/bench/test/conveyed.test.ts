import { expect, test } from 'vitest'
import { sse } from '@factwire/sse'
import { check } from '../src/contender.ts'
import { theWhole, understood } from '../src/conveyed.ts'
import { encoder } from '../src/encoder.ts'
import { mixedRun } from '../src/workload.ts'

const workload = mixedRun(0.1)

/** The wire, as it would be written with a fault in its text. */
const written = (fault: (text: string) => string): Promise<void> => {
  const ours = encoder(sse, workload)
  const shows = (output: string): string => understood(sse)(fault(output))
  return check([theWhole(sse, workload), { ...ours, shows }])
}

test('what is written is understood whole', async () => {
  await expect(written((text) => text)).resolves.toBeUndefined()
})

test.each<[string, RegExp, string]>([
  ['blanks of words', /(?<="text_delta","delta":"[^"]*) (?=[^"]*"\})/g, ''],
  ['results of calls', /^id: \d+\ndata: \{"event_type":"tool_call_done".*\n\n/gm, ''],
  ['the end', /^id: \d+\ndata: \{"event_type":"run_finish".*\n\n/gm, ''],
])('a wire that forgets %s is refused', async (_what, part, instead) => {
  await expect(written((text) => text.replace(part, instead))).rejects.toThrow(/different/)
})
