/** The command line in this process: its streams are arrays of text. */
import { Writable } from 'node:stream'
import { tmpdir } from 'node:os'
import type { Io } from '../src/io.ts'
import { run } from '../src/main.ts'

export interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export type Given = {
  readonly stdin?: string | AsyncIterable<Uint8Array>
  readonly cwd?: string
  readonly env?: Io['env']
  readonly columns?: number
  readonly isTTY?: boolean
}

export async function cli(argv: readonly string[], given: Given = {}): Promise<Outcome> {
  const stdout = collector()
  const stderr = collector()
  const terminal = {
    ...(given.isTTY === undefined ? {} : { isTTY: given.isTTY }),
    ...(given.columns === undefined ? {} : { columns: given.columns }),
  }
  const code = await run(argv, {
    stdin: typeof given.stdin === 'object' ? given.stdin : bytes(given.stdin ?? ''),
    stdout: Object.assign(stdout.stream, terminal),
    stderr: stderr.stream,
    env: given.env ?? {},
    // Nothing is installed here, so wires are those that come with the command.
    cwd: () => given.cwd ?? tmpdir(),
  })
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

export async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

function collector(): { readonly stream: Writable; text(): string } {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk)
      done()
    },
  })
  return { stream, text: () => Buffer.concat(chunks).toString() }
}
