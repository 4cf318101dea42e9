/** What an event does to the message, its blocks and its calls, in the words of the grammar. */
import { isObject, type Move } from '@factwire/core'
import { isResultType } from './read-result.ts'
import type { MessagesFrame, ReadBlock } from './wire.ts'

export function moves(frame: MessagesFrame): readonly Move[] {
  switch (frame.type) {
    case 'message_start':
      return [run('start')]
    case 'content_block_start':
      return startMoves(keyOf(frame.index), isObject(frame.content_block) ? frame.content_block : {})
    case 'content_block_delta': {
      const delta = isObject(frame.delta) ? String(frame.delta['type']) : ''
      return [run('delta'), block(keyOf(frame.index), delta)]
    }
    case 'content_block_stop':
      return [run('block_stop'), block(keyOf(frame.index), 'stop')]
    case 'message_delta': {
      const reason = isObject(frame.delta) ? frame.delta['stop_reason'] : undefined
      return reasonMoves(typeof reason === 'string' ? reason : '')
    }
    // Last the run: after that nobody is moved.
    case 'message_stop':
      return [run('stop')]
    case 'error':
      return [run('error')]
    case 'message':
      return [run('whole')]
  }
}

const run = (input: string): Move => ({ machine: 'run', input })
const block = (key: string, input: string): Move => ({ machine: 'block', key, input })

const keyOf = (index: unknown): string => String(index)

function startMoves(key: string, { type, id, tool_use_id }: ReadBlock): readonly Move[] {
  const kind = String(type)
  const index = Number(key)
  return [
    run('block_start'),
    { machine: 'block', key, every: true, input: 'other' },
    ...(index > 0 ? [block(String(index - 1), 'passed_over')] : []),
    block(key, OPENS[kind] ?? 'start_whole'),
    ...(kind === 'tool_use' ? [offered(String(id)), { machine: 'offers', input: 'offer' }] : []),
    ...(kind === 'mcp_tool_use' || kind === 'server_tool_use' ? [served(String(id), 'call')] : []),
    ...(isResultType(kind) ? [served(String(tool_use_id), 'result')] : []),
  ]
}

const OPENS: Readonly<Record<string, string>> = {
  text: 'start_text',
  thinking: 'start_thinking',
  tool_use: 'start_call',
  server_tool_use: 'start_call',
  mcp_tool_use: 'start_call',
}

const offered = (key: string): Move => ({ machine: 'offered', key, input: 'call' })
const served = (key: string, input: string): Move => ({ machine: 'served', key, input })

/** A null reason says nothing of the end: it comes with counts in mid-stream. */
function reasonMoves(reason: string): readonly Move[] {
  if (reason === '') return [run('counts')]
  const input = INPUTS[reason] ?? 'ends'
  return [
    run(reason === 'tool_use' ? 'waits' : 'ends'),
    { machine: 'block', every: true, input: 'message_delta' },
    { machine: 'offers', input },
    ...(input === 'ends' ? [{ machine: 'served', every: true, input } as const] : []),
  ]
}

const INPUTS: Readonly<Record<string, string>> = {
  tool_use: 'waits',
  max_tokens: 'cut',
  model_context_window_exceeded: 'cut',
  pause_turn: 'cut',
}
