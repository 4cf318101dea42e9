/** Arrays in a request. One that is longer than this is an attack or a mistake. */
import { arrayOf, type Read } from '@factwire/core'

const MOST = 10_000

export function listOf<Value>(read: Read<Value>): Read<readonly Value[]> {
  return arrayOf(read, MOST)
}
