/** A source file as one script for the web. Whatever only node has would make it fail. */
import { isBuiltin } from 'node:module'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

/** The script leaves what the file exports in the global `name`. */
export async function scriptOf(file: string, name: string): Promise<string> {
  const input = fileURLToPath(new URL(`../src/${file}`, import.meta.url))
  const complaints: string[] = []
  const build = await rolldown({
    input,
    platform: 'browser',
    resolve: { conditionNames: ['@factwire/source', 'browser', 'import', 'default'] },
    logLevel: 'warn',
    onLog: (_level, { message }) => void complaints.push(message),
  })
  const { output } = await build.generate({ format: 'iife', name, exports: 'named' })
  await build.close()
  const [{ code, imports }] = output
  const builtin = imports.filter((id) => isBuiltin(id))
  if (builtin.length > 0 || complaints.length > 0) throw new Error([...builtin, ...complaints].join('\n'))
  return code
}
