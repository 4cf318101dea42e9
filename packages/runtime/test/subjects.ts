/** The wires of this repository with all their clients, found by folder. */
import { existsSync, readdirSync } from 'node:fs'
import type { Subject } from '@factwire/conformance'

const packages = new URL('../../', import.meta.url)

export async function subjects(): Promise<readonly Subject<unknown>[]> {
  const found: Subject<unknown>[] = []
  for (const folder of readdirSync(packages)) {
    const file = new URL(`${folder}/test/subject.ts`, packages)
    if (!existsSync(file)) continue
    const loaded = (await import(file.href)) as {
      readonly subjects?: readonly Subject<unknown>[]
      readonly subject?: Subject<unknown>
      readonly subjectOf?: () => Subject<unknown>
    }
    found.push(...(loaded.subjects ?? [loaded.subject ?? loaded.subjectOf?.()].filter((one) => one !== undefined)))
  }
  return found
}
