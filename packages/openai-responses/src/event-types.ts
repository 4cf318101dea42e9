/** Which kind of item each event belongs to, and which events the official client knows. */

/** By what an event is named after. */
const ITEMS: ReadonlyMap<string, string> = new Map([
  ['output_text', 'message'],
  ['output_text.annotation', 'message'],
  ['refusal', 'message'],
  ['function_call_arguments', 'function_call'],
  ['custom_tool_call_input', 'custom_tool_call'],
  ['mcp_call', 'mcp_call'],
  ['mcp_call_arguments', 'mcp_call'],
  ['mcp_list_tools', 'mcp_list_tools'],
  ['shell_call_command', 'shell_call'],
  ['shell_call_output_content', 'shell_call_output'],
  ['reasoning_text', 'reasoning'],
  ['reasoning_summary_part', 'reasoning'],
  ['reasoning_summary_text', 'reasoning'],
  ['code_interpreter_call', 'code_interpreter_call'],
  ['code_interpreter_call_code', 'code_interpreter_call'],
  ['file_search_call', 'file_search_call'],
  ['web_search_call', 'web_search_call'],
  ['image_generation_call', 'image_generation_call'],
  ['compaction', 'compaction'],
])

const WORDS: ReadonlySet<string> = new Set([
  'added',
  'delta',
  'done',
  'in_progress',
  'searching',
  'interpreting',
  'generating',
  'partial_image',
  'completed',
  'failed',
  'compacting',
])

/** The kind of item that an event addresses; undefined for one that addresses none, or that nobody knows. */
export function itemTypeOf(type: string): string | undefined {
  const [, subject, word] = /^response\.(.+)\.([a-z_]+)$/.exec(type) ?? []
  return subject !== undefined && word !== undefined && WORDS.has(word) ? ITEMS.get(subject) : undefined
}

const OTHERS: ReadonlySet<string> = new Set([
  'keepalive',
  'error',
  'response.queued',
  'response.output_item.added',
  'response.output_item.done',
  'response.content_part.added',
  'response.content_part.done',
  'response.audio.delta',
  'response.audio.done',
  'response.audio.transcript.delta',
  'response.audio.transcript.done',
  'response.created',
  'response.in_progress',
  'response.completed',
  'response.incomplete',
  'response.failed',
])

export const isKnown = (type: string): boolean => OTHERS.has(type) || itemTypeOf(type) !== undefined
