/**
 * Turns fragments of tool calls, which name their call by index, by id, by both or by neither, into calls.
 *
 * A call is announced once its name is known and its arguments have begun, so that a late id or a longer name still counts; calls
 * are announced in the order in which they came.
 */
import { isObject } from '@factwire/core'
import {
  type ArgumentMode,
  type ArgumentText,
  argumentText,
  freeInputOf,
  type Input,
  inputOf,
  sameJson,
} from './arguments.ts'
import type { ChatCustomTool, ChatExtraContent, ChatFunction, ChatToolCall } from './wire.ts'

export interface CallPiece {
  readonly id: string
  readonly name: string
  readonly delta: string
  readonly offset: number
}

export interface CommittedCall extends Input {
  readonly id: string
  readonly name: string
  readonly signature?: string
}

export interface Calls {
  /** Whether it says more of a call's name or arguments than was known. */
  add(raw: unknown): boolean
  /** The fragments are over, as far as one can tell. More may follow. */
  settle(): void
  committed(): CommittedCall[]
  /** Arguments came for a call that had no name when the calls were settled. */
  readonly nameless: boolean
}

export interface CallOptions {
  readonly mode: ArgumentMode
  /** Ids that other calls of the thread have. */
  readonly used: Iterable<string>
  /** The id of a call that has none. */
  mint(number: number): string
  show(piece: CallPiece): void
}

interface Call {
  readonly number: number
  readonly index: string | undefined
  /** The provider's, which need not be unique. */
  wireId: string
  /** Empty until announced. */
  id: string
  name: string
  readonly free: boolean
  readonly args: ArgumentText
  signature?: string
}

interface Fragment {
  readonly index: string | undefined
  readonly id: string
  readonly name: string
  readonly args: unknown
  readonly free: boolean
  readonly signature: string
}

export function assembleCalls({ mode, used, mint, show }: CallOptions): Calls {
  const calls: Call[] = []
  const announced: Call[] = []
  const byIndex = new Map<string, Call>()
  const byId = new Map<string, Call>()
  const unique = uniqueIds(used)
  /** Not announced yet, in their order. */
  let waiting: Call[] = []
  /** Left behind by a settlement because they had no name. */
  const nameless = new Set<Call>()
  /** Something came for them since the last settlement: each one looks at these alone, as there may be one with every chunk. */
  const unsettled = new Set<Call>()

  /** The call that a fragment goes on with; undefined for the first of a new one. */
  function known({ index, id, name, args }: Fragment): Call | undefined {
    const same = id === '' ? undefined : byId.get(id)
    if (index === undefined) {
      if (id !== '') return same && name !== '' && startsAnew(same, args) ? undefined : same
      const latest = calls.at(-1)
      return name === '' || (latest?.name === name && isPartial(latest)) ? latest : undefined
    }
    if (same?.index === index) return same
    const placed = byIndex.get(index)
    if (!placed) return name === '' ? same : undefined
    if (name === '') return placed
    // Some servers give every parallel call the same index.
    if (id !== '' && placed.wireId !== '' && id !== placed.wireId) return undefined
    return startsAnew(placed, args) ? undefined : placed
  }

  function start({ index, free }: Fragment): Call {
    // Free text has no shape from which one could tell what a fragment is.
    const args = argumentText(free && mode === 'detect' ? 'suffix' : mode)
    const call: Call = { number: calls.length, index, wireId: '', id: '', name: '', free, args }
    calls.push(call)
    waiting.push(call)
    if (index !== undefined) byIndex.set(index, call)
    return call
  }

  function announceReady(everything: boolean): void {
    let ready = 0
    for (const call of waiting) {
      if (call.name === '') break
      if (!everything && call.args.text === '' && call === calls.at(-1)) break
      announce(call)
      ready++
    }
    if (ready > 0) waiting = waiting.slice(ready)
  }

  function announce(call: Call): void {
    call.id = unique(call.wireId || mint(call.number))
    announced.push(call)
    const { delta, offset } = call.args.take() ?? { delta: '', offset: 0 }
    show({ id: call.id, name: call.name, delta, offset })
  }

  function showMore(call: Call): void {
    const piece = call.id === '' ? undefined : call.args.take()
    if (piece) show({ id: call.id, name: call.name, ...piece })
  }

  return {
    add(raw) {
      const fragment = fragmentOf(raw)
      if (!fragment) return false
      const call = known(fragment) ?? start(fragment)
      unsettled.add(call)
      const { name } = call
      const { text } = call.args
      if (call.wireId === '' && fragment.id !== '') call.wireId = fragment.id
      if (fragment.id !== '' && call.wireId === fragment.id) byId.set(fragment.id, call)
      // A name that comes again is the same or says more; it never comes in suffixes that could be told from other names.
      if (call.name === '' || fragment.name.startsWith(call.name)) call.name = fragment.name
      if (fragment.signature !== '') call.signature = fragment.signature
      call.args.add(fragment.args)
      if (call.name !== '' && nameless.delete(call)) waiting.push(call)
      if (call.id !== '') showMore(call)
      if (waiting.length > 0) announceReady(false)
      const isRepeated = call.args.complete && call.args.text === text
      return call.name !== name || (isGiven(fragment.args) && !isRepeated)
    },
    settle() {
      for (const call of unsettled) call.args.settle()
      // A call without a name holds back the others no longer.
      for (const call of waiting) if (call.name === '') nameless.add(call)
      waiting = waiting.filter((call) => call.name !== '')
      announceReady(true)
      for (const call of unsettled) showMore(call)
      unsettled.clear()
    },
    committed: () =>
      announced.map(({ id, name, args, free, signature }) => ({
        id,
        name,
        ...(free ? freeInputOf(args.text) : inputOf(args.text)),
        ...(signature === undefined ? {} : { signature }),
      })),
    get nameless() {
      return [...nameless].some((call) => call.args.text !== '')
    },
  }
}

function isGiven(args: unknown): boolean {
  return args !== undefined && args !== null && args !== ''
}

/** Arguments that began and are not over: the next fragment, whatever it repeats, goes on with them. */
function isPartial({ args }: Call): boolean {
  return args.text !== '' && !args.complete
}

/** A name and arguments for a call whose arguments are complete: the same again, or another call that is not told apart. */
function startsAnew(placed: Call, args: unknown): boolean {
  return placed.args.complete && typeof args === 'string' && /\S/.test(args) && !sameJson(args, placed.args.text)
}

function fragmentOf(raw: unknown): Fragment | undefined {
  if (!isObject(raw)) return undefined
  const call: ChatToolCall = raw
  const plain: ChatFunction = isObject(call.function) ? call.function : {}
  const custom: ChatCustomTool | undefined = isObject(call.custom) ? call.custom : undefined
  const { index } = call
  return {
    index: typeof index === 'number' || (typeof index === 'string' && index !== '') ? String(index) : undefined,
    id: wordOf(call.id),
    name: wordOf(plain.name) || wordOf(custom?.name),
    args: plain.arguments ?? custom?.input,
    free: custom !== undefined,
    signature: call.extra_content === undefined ? '' : thoughtSignatureOf(call.extra_content),
  }
}

/** What Gemini wants back with the next request. */
export function thoughtSignatureOf(extra: unknown): string {
  if (!isObject(extra)) return ''
  const { google, vertex }: ChatExtraContent = extra
  const holder = google ?? vertex
  return isObject(holder) ? wordOf(holder['thought_signature']) : ''
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** `id`, then `id-2`, `id-3`: results find their call by it. */
function uniqueIds(used: Iterable<string>): (id: string) => string {
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
