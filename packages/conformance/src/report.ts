/** A broken law, told: what was tried, what was on the wire, and where the views part. */
import type { AgentEvent } from '@factwire/core'
import type { Disturbance } from './disturb.ts'
import type { LawBroken } from './law.ts'
import type { LiveRun } from './run.ts'
import { type Sample, liveEvents } from './sample.ts'

/** Longer streams are cut in a report; their beginning and end are what helps. */
const MOST_LINES = 60

export const tellEvents = (events: readonly AgentEvent[]): string[] =>
  events.map(({ tier, event }) => `${tier.padEnd(6)}${JSON.stringify(event)}`)

export function tellRun({ script, marked }: LiveRun, disturbance: Disturbance, reasoning: boolean): string[] {
  return [
    `deltas: ${tellDisturbance(disturbance)}; ${marked ? 'with' : 'without'} ids and offsets${reasoning ? '; facts carry reasoning' : ''}`,
    ...script.map((item) =>
      'delta' in item ? `delta   ${JSON.stringify(item.delta)}` : `commit  ${JSON.stringify(item.commit)}`,
    ),
  ]
}

/** The run of a sample, and what of it arrives. */
export function tellSample(sample: Sample, arrives: readonly AgentEvent[] = liveEvents(sample)): string[] {
  const { run, first, disturbance, reasoning } = sample
  return [
    ...(first ? ['first segment:', ...tellRun(first, { kind: 'none' }, reasoning), 'second segment:'] : []),
    ...tellRun(run, disturbance, reasoning),
    'what arrives:',
    ...tellEvents(arrives),
  ]
}

function tellDisturbance(disturbance: Disturbance): string {
  switch (disturbance.kind) {
    case 'all':
      return 'all arrive'
    case 'none':
      return 'none arrives'
    case 'prefix':
      return `only the first ${disturbance.upTo} thousandths arrive`
    case 'noise':
      return disturbance.fates.length === 0 ? 'all arrive' : `in turn ${disturbance.fates.join(', ')}`
    case 'foreign':
      return `${disturbance.deltas.length} that belong to nothing`
  }
}

export interface Found {
  readonly protocol: string
  readonly law: string
  readonly says: string
  readonly seed: number
  /** Where fast-check finds the shrunk sample again. */
  readonly path: string
  /** The shrunk sample, as lines. */
  readonly run: readonly string[]
  readonly broken: LawBroken
}

/** The text of a failure. */
export function report({ protocol, law, says, seed, path, run, broken }: Found): string {
  const { streams = {}, expected, actual, at } = broken.evidence
  const lines = [
    `${protocol} breaks the law "${law}": ${broken.message}`,
    says,
    '',
    `seed ${seed}, path ${path}`,
    '',
    'the run, shrunk:',
    ...indented(run),
  ]
  for (const [name, body] of Object.entries(streams)) lines.push('', `the stream, ${name}:`, ...indented(linesOf(body)))
  if (expected !== undefined || actual !== undefined) {
    lines.push(
      '',
      at === undefined ? 'there:' : `at ${at}:`,
      `  expected ${JSON.stringify(expected)}`,
      `  actual   ${JSON.stringify(actual)}`,
    )
  }
  return lines.join('\n')
}

const indented = (lines: readonly string[]): string[] => shortened(lines).map((line) => `  ${line}`)
const linesOf = (body: string): string[] => body.split('\n').filter((line) => line !== '')

function shortened(lines: readonly string[]): readonly string[] {
  if (lines.length <= MOST_LINES) return lines
  const half = MOST_LINES / 2
  return [...lines.slice(0, half), `… ${lines.length - MOST_LINES} lines …`, ...lines.slice(-half)]
}
