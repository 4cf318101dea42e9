/** One output item as it is read: what was said in it so far, and what its latest whole form says. */
import { isObject } from '@factwire/core'
import { type CallKind, callKind } from './called.ts'
import { type Spoken, spoken, type SpokenList, spokenList } from './spoken.ts'

export interface Entry {
  readonly index: number
  readonly type: string
  readonly kind: CallKind | undefined
  /** The id that it had first: some servers give it another in each event. */
  readonly id: string
  /** What an earlier message says is no part of it. */
  fields: { readonly [key: string]: unknown }
  readonly texts: SpokenList
  readonly summary: SpokenList
  /** Where the words of a thought stand: the other list, if there is one, says the same. */
  thought: 'texts' | 'summary' | undefined
  readonly args: Spoken
  /** Of a call: its id in the thread, once it has one. */
  callId: string
  /** Arguments that are not shown yet, and how much is. */
  held: string
  shown: number
  announced: boolean
  done: boolean
  /** Its message was committed: what is said of it now cannot be told any more. */
  given: boolean
}

export function newEntry(index: number, item: { readonly [key: string]: unknown }): Entry {
  const type = typeof item['type'] === 'string' ? item['type'] : ''
  return {
    index,
    type,
    kind: callKind(type, item),
    id: typeof item['id'] === 'string' ? item['id'] : '',
    fields: item,
    texts: spokenList(),
    summary: spokenList(),
    thought: undefined,
    args: spoken(),
    callId: '',
    held: '',
    shown: 0,
    announced: false,
    done: false,
    given: false,
  }
}

/** Nothing more will be said of its arguments. */
export const hasArguments = ({ args, done }: Entry): boolean => args.told || done

/** Nothing more will be said in it: some servers never say that an item is done, but that its text is. */
export function isOver({ type, done, texts, summary, thought }: Entry): boolean {
  if (done) return true
  if (type === 'message') return texts.told()
  return thought === 'texts' ? texts.told() : thought === 'summary' && summary.told()
}

/** The words of a thought, with a blank line between its parts. */
export function thoughtOf({ thought, texts, summary }: Entry): string {
  const parts = thought === 'texts' ? texts.all() : thought === 'summary' ? summary.all() : []
  return parts
    .map(({ text }) => text)
    .filter((text) => text !== '')
    .join('\n\n')
}

export const listOf = (value: unknown): readonly { readonly [key: string]: unknown }[] =>
  Array.isArray(value) ? value.filter(isObject) : []
