/** What is said under load: so many words a second, each with the time at which it was said. */

export interface Rhythm {
  readonly perSecond: number
  readonly seconds: number
}

/** Calls `say` in an even rhythm, catching up where it is late. */
export async function rhythm(
  { perSecond, seconds }: Rhythm,
  say: (words: string, index: number) => void,
): Promise<void> {
  const begin = performance.now()
  for (let index = 0; index < perSecond * seconds; index++) {
    const ahead = begin + (index * 1000) / perSecond - performance.now()
    if (ahead > 1) await new Promise((resolve) => setTimeout(resolve, ahead))
    say(`word ${index} @${Date.now()} ${'x'.repeat(60)} `, index)
  }
}
