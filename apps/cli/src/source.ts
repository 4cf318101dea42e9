/** Where bytes come from: a file, or standard input. */
import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { usageError } from './usage.ts'

export type Bytes = AsyncIterable<Uint8Array>

/** How a complaint names it. */
export const sourceName = (file: string): string => (file === '-' ? 'standard input' : file)

/**
 * The bytes of a file; `-` is standard input.
 *
 * @throws CommanderError when there is no such file or it may not be read.
 */
export async function openSource(file: string, stdin: Bytes, cwd: string): Promise<Bytes> {
  if (file === '-') return stdin
  try {
    const handle = await open(resolve(cwd, file))
    if (!(await handle.stat()).isDirectory()) return handle.createReadStream()
    await handle.close()
  } catch (error) {
    throw usageError(`cannot read '${file}': ${error instanceof Error ? error.message : String(error)}`)
  }
  throw usageError(`cannot read '${file}': it is a directory`)
}

/** What `look` finds at the beginning of some bytes, and the same bytes again from their beginning. */
export async function peek<Found>(
  source: Bytes,
  look: (bytes: Bytes) => Promise<Found>,
): Promise<{ readonly found: Found; readonly bytes: Bytes }> {
  const rest = source[Symbol.asyncIterator]()
  const seen: Uint8Array[] = []

  // An iterator without `return`: whoever stops looking must not close the source.
  const looked: Bytes = {
    [Symbol.asyncIterator]: () => ({
      async next() {
        const result = await rest.next()
        if (!result.done) seen.push(result.value)
        return result
      },
    }),
  }
  async function* again(): AsyncGenerator<Uint8Array> {
    yield* seen.splice(0)
    yield* { [Symbol.asyncIterator]: () => rest }
  }
  return { found: await look(looked), bytes: again() }
}
