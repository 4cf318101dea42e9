/** `factwire serve`: the gateway, where it is installed. It has settings of its own, so all that follows is its to read. */
import type { Io } from './io.ts'
import { usageError } from './usage.ts'
import { packageNamed } from './wire.ts'

type Main = (argv: readonly string[]) => Promise<number>

/** Settles when the server was told to stop, with the exit code. @throws CommanderError when there is no gateway. */
export async function serve(argv: readonly string[], io: Pick<Io, 'cwd'>): Promise<number> {
  const module = (await packageNamed('gateway', io.cwd())) as { readonly main?: unknown } | undefined
  if (!module) throw usageError('no gateway here; from a clone of the repository: npm start')
  if (!isMain(module.main)) throw usageError('@factwire/gateway is installed, but it exports no main')
  return module.main(argv)
}

const isMain = (value: unknown): value is Main => typeof value === 'function'
