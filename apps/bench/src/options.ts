/** What stands on the command line. */
import { parseArgs } from 'node:util'
import { groups } from './groups/index.ts'

export interface Options {
  readonly quick: boolean
  /** Names of groups; none means all. */
  readonly only: readonly string[]
  /** A further place for the result. */
  readonly json?: string
  /** A place for the bars as a table. */
  readonly markdown?: string
  /** Whether a bar that is not met is a failure. */
  readonly checked: boolean
  /** Whether to look where the time goes when a bar is not met. */
  readonly profile: boolean
  /** Who is to run alone, in place of everything else. */
  readonly solo?: string
  /** Of the order in which contenders take their turns. */
  readonly seed: number
}

/** @throws TypeError for what is not known. */
export function options(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      json: { type: 'string' },
      check: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      markdown: { type: 'string' },
      solo: { type: 'string' },
      seed: { type: 'string', default: '1' },
    },
  })
  const only = values.only.flatMap((names) => names.split(','))
  const known = groups.map(({ name }) => name)
  for (const name of only) {
    if (!known.includes(name)) throw new TypeError(`no group '${name}': there are ${known.join(', ')}`)
  }
  const seed = Number(values.seed)
  if (!Number.isInteger(seed)) throw new TypeError(`--seed takes an integer, not '${values.seed}'`)
  const { quick, profile, check: checked, json, markdown, solo } = values
  return { quick, only, checked, profile, seed, ...given({ json, markdown, solo }) }
}

type Texts = Pick<Options, 'json' | 'markdown' | 'solo'>

function given(texts: { readonly [Name in keyof Texts]-?: string | undefined }): Texts {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== undefined))
}
