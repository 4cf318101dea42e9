/** Faults of a transcoder that loses, doubles or misplaces what it shows. */
import { checkGrammar, type Fact, type GrammarCheck } from '@factwire/core'
import { type Fault, tampered, withTranscoder } from '../fault.ts'

/** A fault in what is written, for each stream anew. The grammar follows what the stream has said, to know its end. */
function written(
  name: string,
  law: string,
  tamper: (check: GrammarCheck<unknown>) => (frames: readonly unknown[], cause: string) => readonly unknown[],
): Fault {
  return {
    name,
    law,
    sabotage: (subject) => tampered(subject, () => ({ frames: tamper(checkGrammar(subject.protocol.grammar)) })),
  }
}

export const streamFaults: readonly Fault[] = [
  written('the end is missing', 'one end', (check) => (frames) => {
    const end = frames.findIndex((frame) => {
      check.push(frame)
      return check.ended() !== undefined
    })
    return end === -1 ? frames : frames.slice(0, end)
  }),
  written('the end is told twice', 'one end', (check) => (frames) => {
    if (check.ended()) return []
    const end = frames.findIndex((frame) => {
      check.push(frame)
      return check.ended() !== undefined
    })
    return end === -1 ? frames : [...frames.slice(0, end), frames[end], frames[end], ...frames.slice(end + 1)]
  }),
  written('something comes after the end', 'one end', (check) => {
    let first: unknown
    return (frames) => {
      first ??= frames[0]
      for (const frame of frames) check.push(frame)
      return check.ended() && frames.length > 0 ? [...frames, first] : frames
    }
  }),
  written('something comes before the start', 'well formed', () => {
    let held: unknown
    let told = false
    return (frames) => {
      if (told || frames.length === 0) return frames
      if (held === undefined) {
        held = frames[0]
        return frames.slice(1)
      }
      told = true
      return [frames[0], held, ...frames.slice(1)]
    }
  }),
  written('a fragment is written twice', 'truth wins', (check) => {
    let doubled = false
    return (frames, cause) => {
      const [last] = frames.slice(-1)
      for (const frame of frames) check.push(frame)
      if (doubled || cause !== 'delta' || frames.length === 0 || check.push(last).length > 0) return frames
      doubled = true
      return [...frames, last]
    }
  }),
  written('a fragment is lost', 'truth wins', () => {
    let seen = 0
    // Of a delta that opens something, the opening stays.
    return (frames, cause) => (cause === 'delta' && frames.length > 0 && seen++ > 0 ? frames.slice(0, -1) : frames)
  }),
  {
    name: 'a producer that vanished looks like success',
    law: 'one end',
    sabotage: (subject) =>
      tampered(subject, () => ({
        close: (inner) => [...inner.fact({ type: 'run_finished', exhausted: false }), ...inner.settled()],
      })),
  },
  {
    name: 'once something was streamed, the tail is swallowed',
    law: 'truth wins',
    sabotage: (subject) =>
      tampered(subject, () => {
        let streamed = false
        return {
          delta(delta, inner) {
            streamed ||= delta.type === 'text_delta' && delta.delta !== ''
            return inner.delta(delta)
          },
          fact: (fact, inner) =>
            streamed && fact.type === 'assistant_message'
              ? // As if what was shown had been all of it.
                inner.fact({ ...fact, content: [] })
              : inner.fact(fact),
        }
      }),
  },
  {
    name: 'a message has other ids on replay',
    law: 'replay',
    sabotage: (subject) =>
      tampered(subject, () => {
        let live = false
        return {
          delta(delta, inner) {
            live = true
            return inner.delta(delta)
          },
          fact: (fact, inner) => inner.fact(live ? fact : withOtherIds(fact)),
        }
      }),
  },
  {
    name: 'a stream depends on those before it',
    law: 'replay',
    sabotage(subject) {
      let streams = 0
      return withTranscoder(subject, (run, ...rest) =>
        subject.protocol.transcoder({ ...run, runId: `${run.runId}-${streams++}` }, ...rest),
      )
    },
  },
]

function withOtherIds(fact: Fact): Fact {
  switch (fact.type) {
    case 'assistant_message':
      return { ...fact, id: `other-${fact.id}` }
    case 'tool_call':
      return { ...fact, id: `other-${fact.id}` }
    case 'tool_result':
      return { ...fact, id: `other-${fact.id}` }
    default:
      return fact
  }
}
