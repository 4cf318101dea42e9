/** Who takes part in a comparison. */

/** Takes a piece of output: bytes from who writes, text from who reads. */
export type Take = (piece: Uint8Array | string) => void

export interface Contender {
  readonly name: string
  /** Does the whole workload once. */
  run(take: Take): void | Promise<void>
  /** What of its output has to be what the others show. Default: all of it. */
  shows?(output: string): string
}

/** The whole output of one run, as text. */
export async function outputOf(contender: Contender): Promise<string> {
  const pieces: Uint8Array[] = []
  await contender.run((piece) => void pieces.push(typeof piece === 'string' ? Buffer.from(piece) : piece))
  return Buffer.concat(pieces).toString()
}

/** A fast wrong answer is an error. @throws Error when not all show the same, or when they show nothing. */
export async function check(contenders: readonly Contender[]): Promise<void> {
  let first: { readonly name: string; readonly shown: string } | undefined
  for (const contender of contenders) {
    const output = await outputOf(contender)
    const shown = contender.shows?.(output) ?? output
    if (shown === '') throw new Error(`${contender.name} shows nothing`)
    first ??= { name: contender.name, shown }
    if (shown !== first.shown) throw new Error(difference(first, { name: contender.name, shown }))
  }
}

interface Shown {
  readonly name: string
  readonly shown: string
}

function difference(one: Shown, other: Shown): string {
  let at = 0
  while (one.shown[at] === other.shown[at]) at++
  const around = ({ name, shown }: Shown): string =>
    `${name}: ${JSON.stringify(shown.slice(Math.max(0, at - 40), at + 40))} of ${shown.length}`
  return `different from unit ${at} on\n  ${around(one)}\n  ${around(other)}`
}
