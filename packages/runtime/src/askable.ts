/**
 * Turns the committed thread into one that every provider takes: each call has its one result right behind it, arguments are objects,
 * tools have names that a provider takes, roles alternate, and somebody other than the assistant has the last word.
 *
 * The thread of this loop is nearly so already. Threads of other writers, and of runs that nobody ended, need not be.
 */
import {
  type ContentBlock,
  hasText,
  isJsonObject,
  type Message,
  textOf,
  type ToolResultBlock,
  type ToolUseBlock,
} from '@factwire/core'

/**
 * The messages that a provider is asked with. What it gives is for a request, never for the store. `tools` are the names of those that
 * it is told of: these stay as they are.
 */
export function askable(messages: readonly Message[], tools: ReadonlySet<string> = new Set()): readonly Message[] {
  const results = resultsById(messages)
  const asked: Message[] = []
  for (const message of messages) {
    if (message.role === 'tool') continue
    if (message.role === 'assistant') addAssistant(asked, message, results, tools)
    else if (message.content.some(saysSomething)) addInput(asked, message)
  }
  return asked.at(-1)?.role === 'assistant' ? [...asked, hint('go-on', 'Go on.')] : asked
}

/** Something that is said to the model and stays out of the thread. */
export function hint(id: string, text: string): Message {
  return { id: `hint-${id}`, role: 'user', content: [{ type: 'text', text }] }
}

function resultsById(messages: readonly Message[]): Map<string, ToolResultBlock[]> {
  const results = new Map<string, ToolResultBlock[]>()
  for (const { content } of messages) {
    for (const block of content) {
      if (block.type !== 'tool_result') continue
      const same = results.get(block.tool_use_id)
      if (same) same.push(block)
      else results.set(block.tool_use_id, [block])
    }
  }
  return results
}

function addAssistant(
  asked: Message[],
  message: Message,
  results: Map<string, ToolResultBlock[]>,
  tools: ReadonlySet<string>,
): void {
  const calls = message.content.filter((block) => block.type === 'tool_use')
  if (calls.length === 0 && !hasText(message)) return
  const content = message.content.map((block) => (block.type === 'tool_use' ? callable(block, tools) : block))
  const last = asked.at(-1)
  if (last?.role === 'assistant')
    asked[asked.length - 1] = { ...last, content: [...last.content, ...parted(last, content)] }
  else asked.push({ ...message, content })
  for (const { id } of calls) {
    // Where ids repeat in an old thread, results answer in order.
    const result = results.get(id)?.shift() ?? unknownResult(id)
    asked.push({ id: `tool-${id}`, role: 'tool', content: [result] })
  }
}

function addInput(asked: Message[], message: Message): void {
  const last = asked.at(-1)
  if (message.role !== 'user' || last?.role !== 'user') asked.push(message)
  else asked[asked.length - 1] = { ...last, content: [...last.content, ...parted(last, message.content)] }
}

/** A blank line between the text of two messages that become one. */
function parted({ content }: Message, next: readonly ContentBlock[]): readonly ContentBlock[] {
  return textOf(content) === '' || textOf(next) === '' ? next : [{ type: 'text', text: '\n\n' }, ...next]
}

const saysSomething = (block: ContentBlock): boolean => block.type !== 'text' || block.text !== ''

/** Some providers read the arguments of old calls again. What was wrong with them stands in the result. */
function callable(call: ToolUseBlock, tools: ReadonlySet<string>): ToolUseBlock {
  const name = tools.has(call.name) ? call.name : nameable(call.name)
  if (isJsonObject(call.input)) return name === call.name ? call : { ...call, name }
  const { type, id } = call
  return { type, id, name, input: {} }
}

/** A model may make up a name, and its provider then refuses each request with the call of it: most take letters, digits, `_` and `-`. */
function nameable(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, LONGEST_NAME) || '_'
}

const LONGEST_NAME = 64

function unknownResult(id: string): ToolResultBlock {
  const text = 'No result: it is not known what became of the call.'
  return { type: 'tool_result', tool_use_id: id, content: [{ type: 'text', text }], is_error: true }
}
