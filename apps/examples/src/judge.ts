import { hunt, laws, report, type Subject } from '@factwire/conformance'

/** Puts a protocol to every law with generated runs. Gives the smallest run that breaks each, in words. */
export async function judge<Frame>(subject: Subject<Frame>, runs: number): Promise<readonly string[]> {
  const broken: string[] = []
  for (const law of laws) {
    if (law.excuse?.(subject)) continue
    const { found } = await hunt(subject, law, { seed: 1, runs })
    if (found) broken.push(report(found))
  }
  return broken
}
