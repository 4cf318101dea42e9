/** `factwire transcode`: events of one wire, as the text of another. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import {
  type AgentEvent,
  type Encodable,
  type Failure,
  type Message,
  type RunContext,
  type Writer,
  endsSegment,
  parseJson,
  parseMessages,
  writer,
} from '@factwire/core'
import { EVENTS, eventText, eventsInput } from './events.ts'
import { wireInput } from './input.ts'
import type { Io } from './io.ts'
import type { Output } from './output.ts'
import { openSource } from './source.ts'
import { usageError } from './usage.ts'
import { failureIn, inputVerdict, outputVerdict } from './verdict.ts'
import { readableWire, writableWire } from './wire.ts'

export interface TranscodeFlags {
  readonly from: string
  readonly to: string
  readonly thread: string
  readonly run: string
  readonly model?: string
  readonly history?: string
}

/** Gives what is wrong with what was read, or else with what was written. */
export async function transcode(file: string, flags: TranscodeFlags, io: Io, out: Output): Promise<string | undefined> {
  const cwd = io.cwd()
  const from = flags.from === EVENTS ? undefined : await readableWire(flags.from, cwd)
  const to = flags.to === EVENTS ? undefined : await writableWire(flags.to, cwd)
  const said = await saidContext(flags, cwd)

  const bytes = await openSource(file, io.stdin, cwd)
  const input = from ? wireInput(from, bytes) : eventsInput(bytes)
  const named = names()
  let refused: Failure | undefined
  const text = to
    ? wireText(
        input.events,
        to,
        (run) => named({ ...said, ...input.run() }, run),
        (failure) => (refused ??= failure),
      )
    : neutralText(input.events)
  for await (const piece of text) await out.write(piece)
  return inputVerdict(file, input) ?? (refused && outputVerdict(refused, flags.to))
}

/**
 * The text of each event, for as many segments as there are: every start after an end is a new one, and the numbers go on.
 *
 * `context` is asked when a segment begins: by then the stream has said what it knows. It is told which run this is, from 1.
 * `onRefused` hears of a segment that failed only here.
 */
async function* wireText(
  events: AsyncIterable<AgentEvent>,
  wire: Encodable<unknown>,
  context: (run: number) => RunContext,
  onRefused: (failure: Failure) => void,
): AsyncGenerator<string> {
  let segment: Writer | undefined
  /** The last text of the segment. */
  let last = ''
  let seq = 0
  let runs = 0
  let awaiting = false
  for await (const event of events) {
    const { type } = event.event
    if (type === 'run_started' && !segment) {
      if (!awaiting) runs++
      segment = writer(wire, context(runs), { seq })
    }
    seq++
    // Outside a segment there are only deltas that came too late or too early.
    if (!segment) continue
    let text = segment.push(event)
    if (endsSegment(event)) {
      text += segment.close()
      segment = undefined
      awaiting = type === 'awaiting'
    }
    if (text) last = text
    if (endsSegment(event) && type !== 'run_failed') {
      const failure = failureIn(wire, last)
      if (failure) onRefused(failure)
    }
    if (text) yield text
  }
  if (segment) yield segment.close()
}

async function* neutralText(events: AsyncIterable<AgentEvent>): AsyncGenerator<string> {
  for await (const event of events) yield eventText(event)
}

/** Two runs under one id would be one run to whoever reads them, so a later one has its number behind it. */
function names(): (context: RunContext, run: number) => RunContext {
  const owners = new Map<string, number>()
  return (context, run) => {
    const { runId } = context
    const owner = owners.get(runId) ?? run
    owners.set(runId, owner)
    return owner === run ? context : { ...context, runId: `${runId}-${run}` }
  }
}

/** What the user says about the run; what the stream says goes before it. */
async function saidContext({ thread, run, model, history }: TranscodeFlags, cwd: string): Promise<RunContext> {
  return {
    threadId: thread,
    runId: run,
    ...(model === undefined ? {} : { model }),
    ...(history === undefined ? {} : { history: await readHistory(history, cwd) }),
  }
}

async function readHistory(file: string, cwd: string): Promise<readonly Message[]> {
  try {
    return parseMessages(parseJson(await readFile(resolve(cwd, file), 'utf8')))
  } catch (error) {
    throw usageError(`cannot use '${file}' as history: ${error instanceof Error ? error.message : String(error)}`)
  }
}
