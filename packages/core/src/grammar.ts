/**
 * What a wire allows, as data: one small state machine for the run, and one for each kind of item that it opens and closes.
 *
 * From it come the check of a stream, the generator of broken ones, the places where a client may come back, and the
 * diagrams. It says what a client would do about a breach; what frames mean is the transcoder's.
 */
import { createItems, type Items } from './grammar-items.ts'

export interface Grammar<Frame> {
  /** `run` is the machine of the whole stream; the others stand once for each item, by its key. */
  readonly machines: Readonly<Record<string, Machine>> & { readonly run: Machine }
  /** By id: failures and docs cite it. */
  readonly rules: Readonly<Record<string, Rule>>
  /** What a frame does, and to which items, in this order. */
  moves(frame: Frame): readonly Move[]
}

export interface Machine {
  /** The state of an item that no frame has named yet. */
  readonly initial: string
  readonly states: Readonly<Record<string, MachineState>>
}

export interface MachineState {
  readonly on: Readonly<Record<string, Step>>
  /** The rule that every other input breaks. Without it, other inputs change nothing. */
  readonly otherwise?: string
  /** An item in this state has nothing to say any more: a client may come back here. Default: the initial state only. */
  readonly rest?: boolean
  /** Of the run: how a client takes a stream that stops here. Without it, as one that was cut. */
  readonly end?: StreamEnd
  /** Of the run: nobody reads on. What comes still moves the run, and no other item. */
  readonly deaf?: true
}

/** The next state, or the rule that is broken; after that the item stays as it is, but where `to` says otherwise. */
export type Step = string | { readonly breaks: string; readonly to?: string }

export type StreamEnd = 'finished' | 'waiting' | 'failed'

export interface Move {
  readonly machine: string
  readonly input: string
  /** Which item. Without it the only one, as of `run`. */
  readonly key?: string
  /** What the item is one of, such as of those that may own a message: it is another item than one of that key elsewhere. */
  readonly group?: string
  /** All items, those too that are named only later; with a `key`, all others; with a `group`, all of it. */
  readonly every?: true
  /** Only while that item is in one of these states. */
  readonly when?: ItemState
}

export interface ItemState {
  readonly machine: string
  readonly key?: string
  readonly group?: string
  readonly states: readonly string[]
}

export interface Rule {
  /** A sentence in the present tense. */
  readonly says: string
  readonly force: RuleForce
  /** Where it stands: a link, or a place in the specification or the source of the client. */
  readonly see: string
}

/** What comes of a breach: the client gives the stream up, it complains and goes on, or only we would mind. */
export type RuleForce = 'rejected' | 'warned' | 'demanded'

/** The input that the run's machine gets when the stream is over, and each item whose state names it. */
export const STREAM_OVER = 'stream_over'

export interface Breach {
  readonly rule: string
  readonly says: string
  readonly force: RuleForce
  readonly see: string
  /** Number of the frame, from 0; that of the next where the stream is over. */
  readonly frame: number
  /** The item, such as `text m1`. */
  readonly item: string
  /** What it was in, and what it was told. */
  readonly state: string
  readonly input: string
}

/** Follows one stream. Keeps one word for each item. */
export interface GrammarCheck<Frame> {
  push(frame: Frame): readonly Breach[]
  /** The stream is over. */
  end(): readonly Breach[]
  /** How a client would take it if it stopped here. */
  ended(): StreamEnd | undefined
  /** Nothing is open, and the run goes on. */
  atRest(): boolean
}

export function checkGrammar<Frame>({ machines, rules, moves }: Grammar<Frame>): GrammarCheck<Frame> {
  const items = new Map<string, Items>()
  let frames = 0
  for (const [name, { initial }] of Object.entries(machines)) items.set(name, createItems(initial))
  itemsOf('run').set('', '', machines.run.initial)

  function itemsOf(name: string): Items {
    const found = items.get(name)
    if (!found) throw new TypeError(`The grammar moves a machine that it does not have: ${name}`)
    return found
  }

  function stateOf(machine: string, state: string): MachineState {
    const found = machines[machine]?.states[state]
    if (!found) throw new TypeError(`The machine ${machine} has no state ${state}`)
    return found
  }

  function stepOf(machine: string, state: string, input: string): Step {
    const { on, otherwise } = stateOf(machine, state)
    const own = Object.hasOwn(on, input) ? on[input] : undefined
    return own ?? (otherwise === undefined ? state : { breaks: otherwise })
  }

  function move(machine: string, group: string, key: string, input: string): Breach | undefined {
    const state = itemsOf(machine).get(group, key)
    const step = stepOf(machine, state, input)
    itemsOf(machine).set(group, key, afterStep(step, state))
    if (typeof step === 'string') return undefined
    const rule = rules[step.breaks]
    if (!rule) throw new TypeError(`The grammar has no rule ${step.breaks}`)
    const item = [machine, group, key].filter((word) => word !== '').join(' ')
    return { rule: step.breaks, ...rule, frame: frames, item, state, input }
  }

  function apply({ machine, key, group, input, every, when }: Move): Breach[] {
    if (machine !== 'run' && runState().deaf) return []
    if (when && !when.states.includes(itemsOf(when.machine).get(when.group ?? '', when.key ?? ''))) return []
    if (!every) return [move(machine, group ?? '', key ?? '', input) ?? []].flat()
    const all = itemsOf(machine)
    const others = all.named(group).filter((item) => item.key !== key)
    all.setUnnamed(group, (state) => afterStep(stepOf(machine, state, input), state))
    return others.flatMap((item) => move(machine, item.group, item.key, input) ?? [])
  }

  function endItems(): Breach[] {
    if (runState().deaf) return []
    return [...items].flatMap(([machine, own]) => {
      if (machine === 'run') return []
      const told = own.named().filter(({ state }) => Object.hasOwn(stateOf(machine, state).on, STREAM_OVER))
      return told.flatMap(({ group, key }) => move(machine, group, key, STREAM_OVER) ?? [])
    })
  }

  const runState = (): MachineState => stateOf('run', itemsOf('run').get('', ''))

  return {
    push(frame) {
      const breaches = moves(frame).flatMap(apply)
      frames++
      return breaches
    },
    end: () => [...endItems(), ...apply({ machine: 'run', input: STREAM_OVER })],
    ended: () => runState().end,
    atRest() {
      if (runState().end) return false
      return [...items].every(([machine, own]) =>
        own.named().every(({ state }) => stateOf(machine, state).rest ?? state === machines[machine]?.initial),
      )
    },
  }
}

const afterStep = (step: Step, state: string): string => (typeof step === 'string' ? step : (step.to ?? state))

/** A machine as a diagram in Mermaid's language: where its states lead, and where they end. What breaks a rule and leads nowhere is left out. */
export function drawMachine({ initial, states }: Machine): string {
  const lines = ['stateDiagram-v2', `  [*] --> ${initial}`]
  for (const [state, { on, end }] of Object.entries(states)) {
    const targets = new Map<string, string[]>()
    for (const [input, step] of Object.entries(on)) {
      const to = typeof step === 'string' ? step : step.to
      if (to !== undefined) targets.set(to, [...(targets.get(to) ?? []), input])
    }
    for (const [to, inputs] of targets) lines.push(`  ${state} --> ${to}: ${inputs.join(', ')}`)
    if (end) lines.push(`  ${state} --> [*]: ${end}`)
  }
  return lines.join('\n')
}
