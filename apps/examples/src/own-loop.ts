/** An agent with its own loop: asks a model, runs the tools that it calls, and asks again until it calls none. */
import {
  type AgentEvent,
  type Commit,
  type EndCause,
  type Inference,
  type Json,
  type Message,
  runWriter,
  type ToolCallFact,
  type Written,
} from '@factwire/core'

export interface Job {
  readonly runId: string
  readonly history: readonly Message[]
  /** One call of the model, as `decode` gives it. */
  model(thread: readonly Message[]): AsyncIterable<AgentEvent>
  readonly tools: ReadonlyMap<string, Tool>
  readonly maxSteps: number
  /** Called before anybody hears of what is in the commit. */
  store(commit: Commit): Promise<void>
}

export type Tool = (input: Json) => Promise<string>

export async function* loop({ runId, history, model, tools, maxSteps, store }: Job): AsyncGenerator<AgentEvent> {
  const run = runWriter({ runId, history })
  async function* publish({ events, commit }: Written): AsyncGenerator<AgentEvent> {
    if (commit) await store(commit)
    yield* events
  }
  try {
    for (let step = 0; step < maxSteps; step++) {
      const calls: ToolCallFact[] = []
      let inference: Inference | undefined
      let cause: EndCause | undefined
      for await (const { event } of model(run.messages())) {
        if (event.type === 'text_delta') yield* publish(run.text(event.delta))
        else if (event.type === 'reasoning_delta') yield* publish(run.reasoning(event.delta))
        else if (event.type === 'tool_call_delta') yield* publish(run.toolCall(event.id, event.name, event.args_delta))
        else if (event.type === 'tool_call') calls.push(event)
        else if (event.type === 'inference_completed') inference = event
        else if (event.type === 'run_finished') cause = event.cause
        else if (event.type === 'run_failed') throw new Error(event.message)
      }
      yield* publish(run.commit(inference ? { inference } : {}))
      if (calls.length === 0) {
        yield* publish(run.end(cause))
        return
      }
      for (const call of calls) yield* publish(run.toolResult(call.id, ...(await resultOf(call, tools))))
    }
    yield* publish(run.end({ type: 'max_steps' }))
  } catch (error) {
    yield* publish(run.end({ type: 'error', failure: { code: 'model_failed', message: String(error) } }))
  }
}

/** A tool that fails is the model's to deal with, not the end of the run. Arguments that are no JSON are never run. */
async function resultOf(
  { name, input, raw_input }: ToolCallFact,
  tools: ReadonlyMap<string, Tool>,
): Promise<[content: string, outcome?: { readonly is_error: true }]> {
  const tool = tools.get(name)
  if (!tool) return [`There is no tool ${name}.`, { is_error: true }]
  if (input === null && raw_input !== undefined) return ['The arguments are no JSON.', { is_error: true }]
  try {
    return [await tool(input)]
  } catch (error) {
    return [String(error), { is_error: true }]
  }
}
