/** Recordings and cases that lie beside the repository, not in it. Where they are missing, what needs them is skipped and says so. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test } from 'vitest'

const root = process.env['FACTWIRE_SHARED'] ?? fileURLToPath(new URL('../../shared', import.meta.url))

/** Defines tests that need a file or folder of the shared material. */
export function withShared(path: string, define: (absolute: string) => void): void {
  const absolute = join(root, path)
  // oxlint-disable-next-line vitest/no-conditional-tests -- without the material there is nothing to define tests from
  if (existsSync(absolute)) define(absolute)
  // oxlint-disable-next-line vitest/no-disabled-tests -- a skipped test is how the gap is seen
  else test.skip(`NOT CHECKED: ${absolute} is missing; FACTWIRE_SHARED names the folder that holds it`, () => {})
}
