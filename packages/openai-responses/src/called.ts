/** What the many kinds of call items say: which tool, with what, who runs it, and what came of it. */
import { type ContentBlock, isInfinite, isObject, type Json, parseJson, TOO_LARGE } from '@factwire/core'

type Fields = { readonly [key: string]: unknown }

/** `server`: it has run when its item is done. `output`: it has, once another item says what came of it. */
export type Runner = 'client' | 'approval' | 'server' | 'output'

export interface CallKind {
  readonly runner: Runner
  nameOf(item: Fields): string
  /** Arguments as text; undefined where they are not told yet. */
  argumentsOf(item: Fields): string | undefined
  /** The input of a custom tool is text, not JSON. */
  readonly free?: true
  /** Of a server's. */
  resultOf?(item: Fields): CallOutcome
}

export interface CallOutcome {
  readonly content: readonly ContentBlock[]
  readonly is_error: boolean
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const texts = (value: string): readonly ContentBlock[] => (value === '' ? [] : [{ type: 'text', text: value }])

/** A tool of the provider's own: its name, and which of its fields are what it was called with. */
function hosted(name: string, inputs: readonly string[], outcome: (item: Fields) => readonly ContentBlock[]): CallKind {
  return {
    runner: 'server',
    nameOf: () => name,
    argumentsOf: (item) => {
      const given = inputs.flatMap((key) => (item[key] === undefined || item[key] === null ? [] : [[key, item[key]]]))
      return given.length === 0 ? undefined : JSON.stringify(Object.fromEntries(given))
    },
    resultOf: (item) => ({ content: outcome(item), is_error: hasFailed(item) }),
  }
}

const hasFailed = ({ status }: Fields): boolean => status === 'failed' || status === 'incomplete'

const jsonOf =
  (key: string) =>
  (item: Fields): readonly ContentBlock[] =>
    texts(item[key] === undefined || item[key] === null ? '' : JSON.stringify(item[key]))

/** One that the client runs, without a name of its own. */
const device = (name: string, key: string): CallKind => ({
  runner: 'client',
  nameOf: () => name,
  argumentsOf: (item) => (item[key] === undefined ? undefined : JSON.stringify(item[key])),
})

const named = ({ name }: Fields): string => text(name)
const written = ({ arguments: args }: Fields): string | undefined => (typeof args === 'string' ? args : undefined)

const KINDS: ReadonlyMap<unknown, CallKind> = new Map<string, CallKind>([
  ['function_call', { runner: 'client', nameOf: named, argumentsOf: written }],
  ['custom_tool_call', { runner: 'client', nameOf: named, argumentsOf: ({ input }) => text(input), free: true }],
  ['computer_call', device('computer', 'action')],
  ['local_shell_call', device('local_shell', 'action')],
  ['apply_patch_call', device('apply_patch', 'operation')],
  ['mcp_approval_request', { runner: 'approval', nameOf: named, argumentsOf: written }],
  ['mcp_call', { runner: 'server', nameOf: named, argumentsOf: written, resultOf: mcpResult }],
  ['web_search_call', hosted('web_search', ['action'], () => [])],
  ['file_search_call', hosted('file_search', ['queries'], jsonOf('results'))],
  ['code_interpreter_call', hosted('code_interpreter', ['code', 'container_id'], jsonOf('outputs'))],
  ['image_generation_call', hosted('image_generation', ['revised_prompt'], image)],
  ['shell_call', { ...device('shell', 'action'), runner: 'output' }],
])

/** Undefined for what is no call, or is not known here. */
export function callKind(type: unknown, item: Fields = {}): CallKind | undefined {
  const kind = KINDS.get(type)
  // A shell of the provider's is in a container, and any other the client's.
  const { environment } = item
  return kind?.runner === 'output' && !isObject(environment) ? { ...kind, runner: 'client' } : kind
}

function mcpResult(item: Fields): CallOutcome {
  const { error, output } = item
  if (error === undefined || error === null || error === '') {
    const is_error = hasFailed(item)
    return { content: texts(text(output)), is_error }
  }
  return { content: texts(errorText(error)), is_error: true }
}

function errorText(error: unknown): string {
  if (!isObject(error)) return typeof error === 'string' ? error : JSON.stringify(error)
  const { content, message } = error
  if (typeof message === 'string') return message
  if (!Array.isArray(content)) return typeof content === 'string' ? content : JSON.stringify(error)
  return content.map((part: unknown) => (isObject(part) ? text(part['text']) : text(part))).join('')
}

function image({ result }: Fields): readonly ContentBlock[] {
  const data = text(result)
  return data === '' ? [] : [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data } }]
}

/** What a shell printed, command by command. */
export function shellResult({ output }: Fields): CallOutcome {
  const all = Array.isArray(output) ? output.filter(isObject) : []
  const printed = all.map(({ stdout, stderr }) => text(stdout) + text(stderr)).join('')
  const failed = all.some(
    ({ outcome }) => isObject(outcome) && (outcome['type'] !== 'exit' || outcome['exit_code'] !== 0),
  )
  return { content: texts(printed), is_error: failed }
}

export interface Input {
  readonly input: Json
  readonly raw_input?: string
  /** It is JSON, so somebody can run it. */
  readonly usable: boolean
}

/** No arguments are those of an empty object. Text that does not parse stays readable, and nobody runs the call. */
export function inputOf(raw: string, free = false): Input {
  if (free) return exact(raw, raw)
  if (BLANK.test(raw)) return { input: {}, usable: true, ...(raw === '' ? {} : { raw_input: raw }) }
  try {
    const input = parseJson(raw)
    if (isInfinite(input)) throw new TypeError(TOO_LARGE)
    return exact(input, raw)
  } catch {
    return { input: null, raw_input: raw, usable: false }
  }
}

function exact(input: Json, raw: string): Input {
  return JSON.stringify(input) === raw ? { input, usable: true } : { input, raw_input: raw, usable: true }
}

/** White space, as JSON has it: it says as much as no arguments. */
const BLANK = /^[ \t\r\n]*$/
