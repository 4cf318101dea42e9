/** How cost grows when a run doubles: linear here, and what it is elsewhere. */
import type { Contender } from '../contender.ts'
import { decoder, reducer } from '../decoder.ts'
import { encoder } from '../encoder.ts'
import { exponents, peerExponent, type Subject } from '../exponent.ts'
import { agUiEncoder } from '../peers/ag-ui-encoder.ts'
import { aiSdk } from '../peers/ai-sdk.ts'
import { aiSdkReader } from '../peers/ai-sdk-reader.ts'
import { limit } from '../limit.ts'
import { httpAgent } from '../peers/http-agent.ts'
import { openaiArguments } from '../peers/openai.ts'
import { tanstackEvents } from '../peers/tanstack.ts'
import { atMost, type Report, type Row } from '../report.ts'
import type { Setting } from '../setting.ts'
import { splitAndParse, streamOf, streams } from '../stream.ts'
import { isReadable, isWritable, type Wire } from '../wires.ts'
import { afterHistory, agentLoop, argumentsRun, textRun, type Workload } from '../workload.ts'

const SIZES = [4000, 8000, 16_000, 32_000, 64_000]
const QUICK_SIZES = [1000, 2000, 4000]
const PEER_SIZES = [1000, 2000, ...SIZES]
const LINEAR = atMost(1.15)

type Make = (size: number) => Workload

export async function run({ wires, quick, rounds: { order } }: Setting): Promise<Report> {
  const sizes = quick ? QUICK_SIZES : SIZES
  const workloads = [textRun, argumentsRun, agentLoop, afterHistory].map(remembering)
  const rows: Row[] = []
  for (const make of workloads) {
    for (const wire of wires) {
      for (const subject of subjectsOf(wire, make))
        rows.push(...(await exponents(subject, sizes, LINEAR, { rounds: quick ? 1 : 3, order })))
    }
  }
  if (quick) return { tables: [], rows }
  const [text = textRun, args = argumentsRun, loop = agentLoop, history = afterHistory] = workloads
  for (const subject of peersOf(wires, { text, args, loop, history })) {
    rows.push(...(await peerExponent(subject, PEER_SIZES)))
  }
  return { tables: [], rows }
}

function subjectsOf(wire: Wire, make: Make): Subject[] {
  if (!isWritable(wire)) return []
  const { name } = make(SIZES[0] ?? 0)
  const grown = (who: string, of: Subject['of']): Subject => ({
    name: `${name}: factwire ${who}`,
    unit: unitOf(name),
    of,
  })
  const subjects = [grown(wire.name, (size) => encoder(wire, make(size)))]
  // History is not on a wire.
  if (name === 'history') return subjects
  if (isReadable(wire) && streams(wire, make(SIZES[0] ?? 0)))
    subjects.push(grown(`${wire.name} decoder`, (size) => decoder(wire, streamOf(wire, make(size)))))
  if (wire.name === 'sse') subjects.push(grown('sse reduce', (size) => reducer(streamOf(wire, make(size)))))
  return subjects
}

const unitOf = (workload: string): Subject['unit'] => (workload === 'history' ? 'run' : 'event')

interface Workloads {
  readonly text: Make
  readonly args: Make
  readonly loop: Make
  readonly history: Make
}

function peersOf(wires: readonly Wire[], { text, args, loop, history }: Workloads): Subject[] {
  const wire = wires.find(({ name }) => name === 'ag-ui')
  if (!wire || !isWritable(wire)) return []
  const peer = (name: string, make: Make, of: (workload: Workload) => Contender | undefined): Subject => ({
    name: `${name}: ${of(make(PEER_SIZES[0] ?? 0))?.name}`,
    unit: unitOf(name),
    of: (size) => of(make(size)) ?? missing(name),
  })
  const agent = (workload: Workload): Contender => httpAgent(streamOf(wire, workload), workload.context)
  return [
    // What memory does to a long run, it does to the least that could be done as well.
    peer('text', text, (workload) => limit(wire, workload)),
    peer('text', text, (workload) => splitAndParse(streamOf(wire, workload))),
    peer('text', text, (workload) => agUiEncoder(wire, workload)),
    peer('text', text, (workload) => tanstackEvents(wire, workload)),
    peer('text', text, (workload) => aiSdk(workload)[0]),
    peer('text', text, (workload) => aiSdk(workload)[1]),
    peer('text', text, agent),
    peer('arguments', args, agent),
    peer('agent loop', loop, agent),
    peer('history', history, agent),
    peer('arguments', args, aiSdkReader),
    peer('arguments', args, openaiArguments),
  ]
}

function missing(name: string): never {
  throw new TypeError(`nobody to measure with ${name}`)
}

/** A workload that was made is made. */
function remembering(make: Make): Make {
  const made = new Map<number, Workload>()
  return (size) => {
    const workload = made.get(size) ?? make(size)
    made.set(size, workload)
    return workload
  }
}
