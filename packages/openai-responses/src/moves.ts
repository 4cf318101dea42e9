/** What an event does to the response and its items, in the words of the grammar. */
import { isObject, type Move } from '@factwire/core'
import { isKnown, itemTypeOf } from './event-types.ts'
import { DONE, type ResponsesEvent, type ResponsesFrame } from './wire.ts'

type Fields = { readonly [key: string]: unknown }

export function moves(frame: ResponsesFrame): readonly Move[] {
  if (frame === DONE) return [run('done')]
  const { type } = frame
  switch (type) {
    case 'error':
      return [run('error')]
    case 'keepalive':
      return [run('event')]
    case 'response.created':
      return [...responseMoves(frame), run('created')]
    case 'response.queued':
    case 'response.in_progress':
      return [...responseMoves(frame), run('event')]
    case 'response.completed':
      return [...responseMoves(frame), ...completedMoves(outputOf(frame)), run(endOf(outputOf(frame)))]
    case 'response.incomplete':
      return [...responseMoves(frame), ...givenUpMoves(outputOf(frame)), run('finished')]
    case 'response.failed':
      return [...responseMoves(frame), ...givenUpMoves(outputOf(frame)), run('failed')]
    case 'response.output_item.added':
    case 'response.output_item.done':
      return [...itemMoves(frame), run('event')]
    default:
      return isKnown(type) ? [...partMoves(frame), run('event')] : [wrong('event-known'), run('event')]
  }
}

const run = (input: string): Move => ({ machine: 'run', input })
const wrong = (rule: string): Move => ({ machine: 'frame', input: rule })

// ── The response ──

function responseMoves({ response }: ResponsesEvent): Move[] {
  if (!isObject(response)) return [wrong('whole-response')]
  const key = String(response['id'])
  return [
    { machine: 'response', key, input: 'named' },
    { machine: 'response', key, every: true, input: 'other' },
  ]
}

function outputOf({ response }: ResponsesEvent): readonly Fields[] {
  const output = isObject(response) ? response['output'] : undefined
  return Array.isArray(output) ? output.filter(isObject) : []
}

const WAITING: ReadonlySet<unknown> = new Set(['function_call', 'custom_tool_call', 'mcp_approval_request'])

const endOf = (output: readonly Fields[]): string =>
  output.some(({ type }) => WAITING.has(type)) ? 'waiting' : 'finished'

function completedMoves(output: readonly Fields[]): Move[] {
  return [
    ...output.map((item): Move => ({ machine: 'item', key: identityOf(item), input: 'final' })),
    { machine: 'item', every: true, input: 'completed' },
  ]
}

/** The client finds the place of each item by what it is, else by where it stands. */
function givenUpMoves(output: readonly Fields[]): Move[] {
  return [
    ...output.map((item, position): Move => ({
      machine: 'index',
      key: String(position),
      input: 'claimed',
      when: { machine: 'item', key: identityOf(item), states: ['unknown'] },
    })),
    { machine: 'item', every: true, input: 'given_up' },
  ]
}

// ── Its items ──

/** Calls that have an id of their own beside that of the item are known by it. */
function identityOf({ type, id, call_id }: Fields): string {
  return JSON.stringify([type, ROUTED.has(type) ? null : id, call_id ?? null])
}

const ROUTED: ReadonlySet<unknown> = new Set(['function_call', 'custom_tool_call', 'shell_call', 'shell_call_output'])
const CALLS: ReadonlySet<unknown> = new Set(['function_call', 'custom_tool_call', 'mcp_call'])

const placeOf = (index: unknown, type: unknown, id: unknown): string => JSON.stringify([index, type, id])

function itemMoves({ type: event, item, output_index }: ResponsesEvent): Move[] {
  if (!isObject(item) || typeof item['type'] !== 'string' || typeof (item['id'] ?? item['call_id']) !== 'string')
    return [wrong('item-named')]
  const { type, id, call_id } = item
  const group = placeOf(output_index, type, id)
  if (event === 'response.output_item.done') {
    return [
      { machine: 'place', key: group, input: 'used' },
      ...wholeMoves('content', group, item['content']),
      ...wholeMoves('summary', group, item['summary']),
      ...(CALLS.has(type) ? [{ machine: 'arguments', key: group, input: 'end' }] : []),
      { machine: 'item', key: identityOf(item), input: 'done' },
    ]
  }
  return [
    { machine: 'index', key: String(output_index), input: 'added' },
    ...(typeof id === 'string' ? [{ machine: 'id', key: `id ${id}`, input: 'added' }] : []),
    ...(typeof call_id === 'string' && ROUTED.has(type)
      ? [{ machine: 'id', key: `${type} ${call_id}`, input: 'added' }]
      : []),
    { machine: 'place', key: group, input: 'added' },
    { machine: 'item', key: identityOf(item), input: type === 'function_call' ? 'offered' : 'added' },
  ]
}

/** What an item holds when it is done takes the place of what was said. */
function wholeMoves(machine: string, group: string, given: unknown): Move[] {
  if (!Array.isArray(given)) return []
  if (given.length === 0) return [{ machine, group, every: true, input: 'bare' }]
  return given.map((_, index) => ({ machine, group, key: String(index), input: 'whole' }))
}

// ── What is said in them ──

function partMoves(frame: ResponsesEvent): Move[] {
  const { type, output_index, item_id } = frame
  const part = type.startsWith('response.content_part.')
  const of = part
    ? isObject(frame.part) && frame.part['type'] === 'reasoning_text'
      ? 'reasoning'
      : 'message'
    : itemTypeOf(type)
  // Events of a shell's command name no item, and sound belongs to none.
  if (of === undefined || item_id === undefined) return []
  const group = placeOf(output_index, of, item_id)
  const used: Move = { machine: 'place', key: group, input: 'used' }
  const input = part || type.includes('summary_part') ? PARTS.get(wordOf(type)) : TEXTS.get(wordOf(type))
  if (input === undefined) return [used]
  if (type.startsWith('response.reasoning_summary_'))
    return [used, { machine: 'summary', group, key: String(frame.summary_index), input }]
  if (part || CONTENT.has(of)) return [used, { machine: 'content', group, key: String(frame.content_index), input }]
  return CALLS.has(of) ? [used, { machine: 'arguments', key: group, input }] : [used]
}

const wordOf = (type: string): string => type.slice(type.lastIndexOf('.') + 1)

const PARTS: ReadonlyMap<string, string> = new Map([
  ['added', 'begin'],
  ['done', 'end'],
])
const TEXTS: ReadonlyMap<string, string> = new Map([
  ['delta', 'piece'],
  ['done', 'text'],
])
const CONTENT: ReadonlySet<string> = new Set(['message', 'reasoning'])
