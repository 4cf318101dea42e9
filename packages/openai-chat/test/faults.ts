/** Faults that only a server of this wire can have, each as its clients met it. */
import { type Fault, type Tampering, tampered } from '@factwire/conformance'
import { isObject } from '@factwire/core'

const fault = (name: string, law: string, tamper: () => Tampering): Fault => ({
  name,
  law,
  sabotage: (subject) => tampered(subject, tamper),
})

type Fields = { readonly [key: string]: unknown }

/** Frames with every choice made anew. */
function withChoices(frames: readonly unknown[], change: (choice: Fields) => Fields): unknown[] {
  return frames.map((frame) => {
    if (!isObject(frame) || !Array.isArray(frame['choices'])) return frame
    return {
      ...frame,
      choices: frame['choices'].map((choice: unknown) => (isObject(choice) ? change(choice) : choice)),
    }
  })
}

const withDelta = (frames: readonly unknown[], change: (delta: Fields) => Fields): unknown[] =>
  withChoices(frames, (choice) => (isObject(choice['delta']) ? { ...choice, delta: change(choice['delta']) } : choice))

const finishAs = (from: string, to: string) => (): Tampering => ({
  frames: (frames) =>
    withChoices(frames, (choice) => (choice['finish_reason'] === from ? { ...choice, finish_reason: to } : choice)),
})

export const faults: readonly Fault[] = [
  fault('the role is never told', 'well formed', () => ({
    frames: (frames) => withDelta(frames, ({ role: _role, ...rest }) => rest),
  })),
  fault('the end mark is missing', 'well formed', () => ({
    frames: (frames) => frames.filter((frame) => frame !== '[DONE]'),
  })),
  fault('calls are counted from one', 'well formed', () => ({
    frames: (frames) =>
      withDelta(frames, (delta) => {
        const calls: unknown = delta['tool_calls']
        if (!Array.isArray(calls)) return delta
        const counted = calls.map((call: unknown) =>
          isObject(call) ? { ...call, index: Number(call['index']) + 1 } : call,
        )
        return { ...delta, tool_calls: counted }
      }),
  })),
  fault('an answer with calls finishes as stop', 'shows the truth', finishAs('tool_calls', 'stop')),
  fault('an answer that was too long finishes as stop', 'shows the truth', finishAs('length', 'stop')),
  fault('the texts of two messages run together', 'shows the truth', () => ({
    frames: (frames) =>
      withDelta(frames, (delta) => {
        const content: unknown = delta['content']
        return typeof content === 'string' ? { ...delta, content: content.replace(/^\n\n/, '') } : delta
      }),
  })),
  fault('usage comes before the finish', 'well formed', () => ({
    frames: (frames) => [
      ...frames.filter((frame) => isObject(frame) && frame['usage'] !== undefined),
      ...frames.filter((frame) => !isObject(frame) || frame['usage'] === undefined),
    ],
  })),
]
