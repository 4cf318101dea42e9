/** The command line: arguments in, an exit code out. Everything it touches of the process comes in as `io`. */
import { readFileSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import { type CheckFlags, check } from './check.ts'
import { type DiffFlags, diff } from './diff.ts'
import { type InspectFlags, inspect } from './inspect.ts'
import type { Io } from './io.ts'
import { isClosedPipe, type Output, output } from './output.ts'
import { serve } from './serve.ts'
import { type TranscodeFlags, transcode } from './transcode.ts'
import { visible } from './visible.ts'

const GOOD = 0
const BAD_STREAM = 1
const WRONG_USAGE = 2

const ENDNOTE = `
Wires:
  A wire named x is what the package @factwire/x reads or writes; it is looked
  for where you stand, then among what came with this command. The wire 'events'
  is the neutral one: an event as JSON on each line.

Exit codes:
  0  the stream was good, even if its run reports that it failed
  1  the stream was bad: malformed, cut short, or its source broke; or the wire
     to write could not show it; what was written ends as failed; or a rule is
     broken (check), or the two streams differ (diff)
  2  wrong usage: an unknown option or wire, a file that cannot be read`

const WIDTH = 80

/** Runs one command and gives its exit code. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const out = output(io.stdout)
  // A complaint that cannot be written must not change what the exit code says.
  io.stderr.on('error', () => {})
  const complain = (message: string): void => void io.stderr.write(`factwire: ${visible(message)}\n`)
  let code = GOOD

  function judge(complaint: string | undefined): void {
    if (complaint === undefined) return
    code = BAD_STREAM
    complain(complaint)
  }

  const ended = (exit: number): void => void (code = exit)

  try {
    await commandLine(io, out, judge, ended).parseAsync(argv, { from: 'user' }).catch(ignoreHelp)
    await out.flush()
    return code
  } catch (error) {
    if (isClosedPipe(error)) return code
    if (!(error instanceof CommanderError)) {
      complain(error instanceof Error ? error.message : String(error))
      return BAD_STREAM
    }
    // Without a command there is nothing to complain about; the help has been shown.
    if (error.code !== 'commander.help') complain(`${inOneLine(error.message)} (see factwire --help)`)
    return WRONG_USAGE
  } finally {
    // A writer that keeps its end open must not keep this process alive.
    io.stdin.destroy?.()
  }
}

/** Help and version end the parsing by an error, but they are answers. */
function ignoreHelp(error: unknown): void {
  if (!(error instanceof CommanderError) || error.exitCode !== GOOD) throw error
}

/** The parser's suggestions stand on a line of their own. */
function inOneLine(message: string): string {
  return message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' ')
}

function commandLine(
  io: Io,
  out: Output,
  judge: (complaint: string | undefined) => void,
  ended: (code: number) => void,
): Command {
  const width = Math.min(io.stdout.columns ?? WIDTH, WIDTH)
  const program = new Command('factwire')
    .description('Turns recorded streams of agent runs into other wires, and shows what is in them.')
    .version(version())
    .exitOverride()
    // What follows `serve` is not this program's.
    .enablePositionalOptions()
    .configureOutput({
      getOutHelpWidth: () => width,
      getErrHelpWidth: () => width,
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      // What is wrong comes as an exception too, and is said once.
      outputError() {},
    })
    .addHelpText('after', ENDNOTE)
  program
    .command('transcode')
    .description('Writes the stream in another wire, event by event.')
    .argument('[file]', 'the stream; - or nothing is standard input', '-')
    .requiredOption('--from <wire>', 'what the stream is')
    .requiredOption('--to <wire>', 'what to write')
    .option('--thread <id>', "the thread's id, where the stream does not say it", 'thread')
    .option('--run <id>', "the run's id, where the stream does not say it", 'run')
    .option('--model <name>', "the model's name, where the stream does not say it")
    .option('--history <file>', 'earlier messages of the thread: a JSON array')
    .addHelpText('after', ENDNOTE)
    .action(async (file: string, flags: TranscodeFlags) => judge(await transcode(file, flags, io, out)))
  program
    .command('inspect')
    .description('Shows any stream as a timeline of its facts and deltas.')
    .argument('[file]', 'the stream; - or nothing is standard input', '-')
    .option('--from <wire>', 'what the stream is; found out where only one installed wire fits')
    .addHelpText('after', ENDNOTE)
    .action(async (file: string, flags: InspectFlags) => judge(await inspect(file, flags, io, out)))
  program
    .command('check')
    .description('Holds a stream against the grammar of its wire.')
    .argument('[file]', 'the stream; - or nothing is standard input', '-')
    .option('--wire <wire>', 'what the stream is; found out where only one installed wire fits')
    .addHelpText('after', ENDNOTE)
    .action(async (file: string, flags: CheckFlags) => judge(await check(file, flags, io, out)))
  program
    .command('diff')
    .description('Compares two streams by what a client ends with after each.')
    .argument('<a>', 'one stream; - is standard input')
    .argument('<b>', 'the other, be it of another wire')
    .option('--from-a <wire>', 'what the first is; found out where only one installed wire fits')
    .option('--from-b <wire>', 'what the second is; found out likewise')
    .addHelpText('after', ENDNOTE)
    .action(async (a: string, b: string, flags: DiffFlags) => judge(await diff(a, b, flags, io, out)))
  program
    .command('serve')
    .description('Serves runs of an agent over HTTP, on every wire: its own --help says how.')
    .argument('[settings...]')
    .helpOption(false)
    .allowUnknownOption()
    .passThroughOptions()
    .action(async (settings: readonly string[]) => ended(await serve(settings, io)))
  return program
}

function version(): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  return version
}
