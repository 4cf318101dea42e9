/** A small run that has everything: a thought, a call, what it prints, its result, an answer. */
import { type RunWriter, type Written, runWriter } from '@factwire/core'

export const RUN = { threadId: 'thread-1', runId: 'run-1' }

export function conversation(writer: RunWriter = runWriter({ runId: RUN.runId })): readonly (() => Written)[] {
  return [
    () => writer.reasoning('Let me see. '),
    () => writer.text('I look '),
    () => writer.text('it up. '),
    () => writer.toolCall('call-1', 'weather', '{"city":'),
    () => writer.toolCall('call-1', '', '"Zürich"}'),
    () => writer.commit(),
    () => writer.toolOutput('call-1', 'asking…'),
    () => writer.toolResult('call-1', '22 °C'),
    () => writer.text('It is '),
    () => writer.text('22 °C — '),
    () => writer.text('warm.'),
    () => writer.end(),
  ]
}

/** A long answer in so many fragments. */
export function longAnswer(writer: RunWriter, count: number): readonly (() => Written)[] {
  return Array.from({ length: count }, (_none, index) => () => writer.text(`word ${index} `))
}
