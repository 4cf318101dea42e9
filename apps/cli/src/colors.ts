/** Colours for a person at a terminal, and none for whatever else reads. */
import picocolors from 'picocolors'
import type { Io } from './io.ts'

export type Colors = ReturnType<typeof picocolors.createColors>

export function colorsFor({ stdout, env }: Io): Colors {
  return picocolors.createColors(stdout.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb')
}
