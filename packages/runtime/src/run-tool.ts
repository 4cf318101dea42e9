/** Runs one tool: in its time, with its output shown, and with whatever it throws as a result. */
import type { ContentBlock, Json, ToolOutcome } from '@factwire/core'
import type { Clock } from './clock.ts'
import { linked, pause } from './race.ts'
import type { Tool, ToolContext, ToolGiven } from './tool.ts'

export interface ToolResult {
  readonly content: string | readonly ContentBlock[]
  readonly outcome: ToolOutcome
}

export interface ToolSetting extends Omit<ToolContext, 'signal'> {
  readonly clock: Clock
  /** The run is to end. */
  readonly stop: AbortSignal
  readonly timeoutMs: number
  readonly graceMs: number
}

/** Undefined when the run was stopped and the tool gave nothing in the time it had left. */
export async function runTool(tool: Tool, input: Json, setting: ToolSetting): Promise<ToolResult | undefined> {
  const { clock, stop, timeoutMs, graceMs, output, ...context } = setting
  const { controller, release } = linked(stop)
  const over = new AbortController()
  const timeout = new Error(`no result within ${timeoutMs} ms`)
  let settle: (result: ToolResult | undefined) => void = () => undefined
  const given = new Promise<ToolResult | undefined>((resolve) => {
    settle = resolve
  })

  const callOff = clock.after(timeoutMs, () => {
    controller.abort(timeout)
    settle(failed(`The tool was given up: ${timeout.message}.`))
  })
  const stopped = (): void => {
    void pause(clock, graceMs, over.signal).then(() => settle(undefined))
  }
  if (stop.aborted) stopped()
  else stop.addEventListener('abort', stopped, { once: true })

  void (async () => tool.run(input, { ...context, signal: controller.signal, output }))().then(
    (value) => settle(resultOf(value)),
    // A tool that is told to stop throws; that says nothing about it.
    (error: unknown) =>
      settle(stop.aborted ? undefined : failed(error instanceof Error ? error.message : String(error))),
  )

  const result = await given
  over.abort()
  callOff()
  release()
  stop.removeEventListener('abort', stopped)
  return result
}

function resultOf(given: ToolGiven): ToolResult {
  if (given === undefined) return { content: '', outcome: {} }
  if (typeof given === 'string' || isBlocks(given)) return { content: given, outcome: {} }
  const { data, is_error, content = data === undefined ? '' : JSON.stringify(data) } = given
  return {
    content,
    outcome: { ...(data === undefined ? {} : { data }), ...(is_error === undefined ? {} : { is_error }) },
  }
}

const isBlocks = (given: ToolGiven): given is readonly ContentBlock[] => Array.isArray(given)

const failed = (content: string): ToolResult => ({
  content: content || 'The tool failed.',
  outcome: { is_error: true },
})
