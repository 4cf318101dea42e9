/** One call while it is read, and what it asks for in the end. */
import { isInfinite, isObject, type Json, parseJson, TOO_LARGE } from '@factwire/core'

export interface ReadCall {
  /** In the thread; `wireId` is the provider's, which need not be unique. */
  readonly id: string
  readonly wireId: string
  readonly name: string
  /** The provider runs it, or somebody for it: its result comes in the same stream. */
  readonly runsElsewhere: boolean
  /** Arguments that came with its beginning, as text. */
  readonly given: string | undefined
  args: string
}

export interface CommittedCall {
  readonly id: string
  readonly name: string
  readonly input: Json
  readonly raw_input?: string
  readonly runsElsewhere: boolean
  /** False for text that must never be run. */
  readonly usable: boolean
}

/** No arguments at all are those of an empty object. */
export function committed({ id, name, args, runsElsewhere }: ReadCall): CommittedCall {
  const call = { id, name, runsElsewhere }
  if (args === '') return { ...call, input: {}, usable: true }
  let input: Json
  try {
    input = args.trim() === '' ? {} : parseJson(args)
  } catch {
    return { ...call, input: null, raw_input: args, usable: false }
  }
  return { ...call, input, usable: true, ...(JSON.stringify(input) === args ? {} : { raw_input: args }) }
}

/** The input of a block that begins, as text; undefined where the pieces of it are still to come. A server's call may be one of null. */
export function givenInput(input: unknown, runsElsewhere: boolean): string | undefined {
  if (input === undefined || (input === null && !runsElsewhere)) return undefined
  if (isObject(input) && Object.keys(input).length === 0) return undefined
  const text = JSON.stringify(input)
  // Text that does not parse is never run.
  return isInfinite(input) ? `${text} (${TOO_LARGE})` : text
}

/** `id`, then `id-2`, `id-3`: results find their call by it. */
export function uniqueIds(used: Iterable<string>): (id: string) => string {
  const taken = new Set(used)
  const counts = new Map<string, number>()
  return (id) => {
    let unique = id
    let count = counts.get(id) ?? 1
    while (taken.has(unique)) unique = `${id}-${++count}`
    counts.set(id, count)
    taken.add(unique)
    return unique
  }
}
