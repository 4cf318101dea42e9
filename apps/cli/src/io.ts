/** Everything that a command touches of its process. */
import type { Writable } from 'node:stream'
import type { Bytes } from './source.ts'

/** What a process has; `process` itself fits. */
export interface Io {
  readonly stdin: Bytes & { destroy?(): unknown }
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number }
  readonly stderr: Writable
  readonly env: { readonly [name: string]: string | undefined }
  cwd(): string
}
