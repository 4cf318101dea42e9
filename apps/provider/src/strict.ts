/** What the strictest of providers find wrong with a request. Each rule is one that some provider has answered with a 400. */

interface AskedCall {
  readonly id?: unknown
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown }
}

export interface AskedMessage {
  readonly role?: unknown
  readonly content?: unknown
  readonly tool_call_id?: unknown
  readonly tool_calls?: readonly AskedCall[]
}

export interface ChatBody {
  readonly model?: unknown
  readonly user?: unknown
  readonly stream?: unknown
  readonly messages?: readonly AskedMessage[]
  readonly tools?: readonly { readonly function?: { readonly name?: unknown } }[]
}

/** Undefined for a request that every provider takes. */
export function objection({ messages, stream }: ChatBody): string | undefined {
  if (stream !== true) return 'only streams are scripted'
  if (!messages || messages.length === 0) return 'messages is empty'
  const used = new Set<string>()
  let open: string[] = []
  let before: unknown
  for (const [index, message] of messages.entries()) {
    const at = `messages[${index}]`
    if (message.role !== 'tool' && open.length > 0) return `${at}: no result for the calls ${open.join(', ')}`
    const fault = faultIn(message, before, used, open)
    if (fault) return `${at}: ${fault}`
    open = openAfter(message, open)
    before = message.role
  }
  if (open.length > 0) return `no result for the calls ${open.join(', ')}`
  if (before === 'assistant') return 'the last message is of the assistant'
  return undefined
}

function faultIn(
  message: AskedMessage,
  before: unknown,
  used: Set<string>,
  open: readonly string[],
): string | undefined {
  const { role, content, tool_call_id, tool_calls = [] } = message
  switch (role) {
    case 'system':
      return before === undefined || before === 'system' ? undefined : 'a system message stands first'
    case 'user':
      if (before === 'user') return 'two messages of the user in a row'
      return content === '' || content === undefined ? 'the user says nothing' : undefined
    case 'assistant':
      if (before === 'assistant') return 'two messages of the assistant in a row'
      if (tool_calls.length === 0 && (content === null || content === '')) return 'the assistant says nothing'
      return tool_calls.map((call) => faultInCall(call, used)).find((fault) => fault !== undefined)
    case 'tool':
      return open.includes(String(tool_call_id)) ? undefined : `a result for ${String(tool_call_id)}, which is not open`
    default:
      return `the role ${String(role)}`
  }
}

function faultInCall({ id, function: called }: AskedCall, used: Set<string>): string | undefined {
  if (typeof id !== 'string' || id === '') return 'a call without an id'
  if (used.has(id)) return `the call ${id} a second time`
  used.add(id)
  if (typeof called?.name !== 'string' || !/^[\w-]{1,64}$/.test(called.name)) return `the name of ${id}`
  try {
    const input: unknown = JSON.parse(String(called.arguments))
    return typeof input === 'object' && input !== null && !Array.isArray(input)
      ? undefined
      : `${id} is called with no object`
  } catch {
    return `the arguments of ${id} are not JSON`
  }
}

function openAfter({ role, tool_call_id, tool_calls = [] }: AskedMessage, open: readonly string[]): string[] {
  if (role === 'assistant') return tool_calls.map(({ id }) => String(id))
  return role === 'tool' ? open.filter((id) => id !== tool_call_id) : [...open]
}
