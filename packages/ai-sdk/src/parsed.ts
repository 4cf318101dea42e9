/** Text as the JSON that it is, within the bounds of core; undefined where it is none. */
import { type Json, parseJson } from '@factwire/core'

export function parsed(text: string): Json | undefined {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
