/** Runs one tool: in its time, with its output shown, and with whatever it throws as a result. */
import { type ContentBlock, isObject, type Json, parseMessage, type ToolOutcome } from '@factwire/core'
import type { Clock } from './clock.ts'
import { linked, pause } from './race.ts'
import { type Stop, stopOf } from './stop.ts'
import type { Tool, ToolAnswer, ToolContext, ToolGiven } from './tool.ts'

export interface ToolResult {
  readonly content: string | readonly ContentBlock[]
  readonly outcome: ToolOutcome
}

export interface ToolSetting extends Omit<ToolContext, 'signal'> {
  readonly clock: Clock
  /** The run is to end. */
  readonly stop: Stop
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
  const deaf = stop.hear(() => void pause(clock, graceMs, stopOf(over.signal)).then(() => settle(undefined)))

  void (async () => resultOf(await tool.run(input, { ...context, signal: controller.signal, output })))().then(
    settle,
    // A tool that is told to stop throws; that says nothing about it.
    (error: unknown) => settle(stop.aborted ? undefined : failed(wordsOf(error))),
  )

  const result = await given
  over.abort()
  callOff()
  release()
  deaf()
  return result
}

/** What a tool gives is looked at: it may be written without types, and what is committed stays. @throws what is wrong with it. */
function resultOf(given: ToolGiven | null): ToolResult {
  if (given === undefined || given === null) return { content: '', outcome: {} }
  if (typeof given === 'string' || Array.isArray(given)) return { content: contentOf(given), outcome: {} }
  if (!isObject(given) || !['content', 'data', 'is_error'].some((key) => Object.hasOwn(given, key)))
    throw new TypeError('the tool gave neither a text nor blocks nor { content, data, is_error }')
  const { data, is_error, content }: ToolAnswer = given
  const text = data === undefined ? '' : JSON.stringify(data)
  if (text === undefined) throw new TypeError('the data that the tool gave are no JSON')
  return {
    content: content === undefined ? text : contentOf(content),
    outcome: {
      // As it will be read again.
      ...(data === undefined ? {} : { data: JSON.parse(text) as Json }),
      ...(is_error === undefined ? {} : { is_error: is_error === true }),
    },
  }
}

function contentOf(given: string | readonly ContentBlock[]): string | readonly ContentBlock[] {
  return typeof given === 'string' ? given : parseMessage({ id: 'result', role: 'tool', content: given }).content
}

function wordsOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error)
  } catch {
    return ''
  }
}

const failed = (content: string): ToolResult => ({
  content: content || 'The tool failed.',
  outcome: { is_error: true },
})
