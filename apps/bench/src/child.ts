/** What has to be measured in a process of its own, in a fresh heap or with nothing loaded: its last line is JSON. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** @throws Error when the child fails. */
export async function inChild(script: URL, flags: readonly string[], args: readonly string[]): Promise<unknown> {
  const { stdout } = await execute(process.execPath, [...flags, fileURLToPath(script), ...args])
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
}

/** @throws TypeError when a child gives no number. */
export async function numberInChild(script: URL, flags: readonly string[], args: readonly string[]): Promise<number> {
  const value = await inChild(script, flags, args)
  if (typeof value !== 'number') throw new TypeError(`${script.href} gave ${JSON.stringify(value)}, which is no number`)
  return value
}
