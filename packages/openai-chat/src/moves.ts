/** What a chat frame does to the answer and its calls, in the words of the grammar. */
import { isObject, type Move } from '@factwire/core'
import {
  type ChatBody,
  type ChatChoice,
  type ChatChunk,
  type ChatFrame,
  type ChatFunction,
  type ChatToolCall,
  DONE,
} from './wire.ts'

type Kind =
  | { readonly kind: 'done' }
  | { readonly kind: 'error' }
  | { readonly kind: 'chunk'; readonly chunk: ChatChunk }

function kindOf(frame: ChatFrame): Kind {
  if (frame === DONE) return { kind: 'done' }
  // A client asks no more than whether there is something.
  if (frame.error) return { kind: 'error' }
  return { kind: 'chunk', chunk: frame }
}

export function moves(frame: ChatFrame): readonly Move[] {
  const given = kindOf(frame)
  switch (given.kind) {
    case 'done':
      // Last the run: after that nobody is moved.
      return [{ machine: 'call', every: true, input: 'done' }, run('done')]
    case 'error':
      return [run('error')]
    case 'chunk':
      return chunkMoves(given.chunk)
  }
}

const run = (input: string): Move => ({ machine: 'run', input })
const wrong = (rule: string): Move => ({ machine: 'frame', input: rule })

function chunkMoves({ id, created, model, choices, usage }: ChatChunk): Move[] {
  if (!Array.isArray(choices)) return [wrong('choices-array')]
  const response = JSON.stringify([id, created, model])
  return [
    { machine: 'response', key: response, input: 'named' },
    { machine: 'response', key: response, every: true, input: 'other' },
    ...choices.flatMap(choiceMoves),
    ...(usage ? [run('usage'), { machine: 'usage', input: 'usage' }] : []),
  ]
}

function choiceMoves(choice: unknown): Move[] {
  if (!isObject(choice) || !isIndex(choice['index'])) return [wrong('choice-index')]
  const { index, delta, message, finish_reason }: ChatChoice = choice
  // What another choice says is none of this answer.
  if (index !== 0) return [wrong('one-choice')]
  const body: ChatBody = isObject(delta) ? delta : {}
  const pieces: unknown[] = Array.isArray(body.tool_calls) ? body.tool_calls : []
  return [
    ...(message === undefined ? [] : [wrong('delta-only')]),
    ...bodyMoves(body, pieces, Boolean(finish_reason)),
    ...(finish_reason ? finishMoves(finish_reason === 'tool_calls' ? 'finish_calls' : 'finish') : []),
    // The client takes the type of a piece before the finish beside it, and leaves the call of one without a type after it.
    ...pieces.flatMap(untypedMoves),
  ]
}

function bodyMoves(body: ChatBody, pieces: readonly unknown[], finishes: boolean): Move[] {
  const { role, content, function_call: older } = body
  const told = isText(content) || Object.entries(body).some(([field, value]) => field !== 'role' && isText(value))
  const says = told || pieces.length > 0 || (!role && !finishes)
  return [
    ...(role ? [role === 'assistant' ? run('role') : wrong('role-assistant')] : []),
    ...(says ? [run('piece')] : []),
    ...(content && typeof content !== 'string' ? [wrong('texts-are-text')] : []),
    ...(older ? [wrong('no-function-call')] : []),
    ...(pieces.length > 0 ? pieces.flatMap(callMoves) : [{ machine: 'call', every: true, input: 'piece' } as const]),
  ]
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''

function finishMoves(input: 'finish' | 'finish_calls'): Move[] {
  return [
    run(input),
    { machine: 'calls', input },
    { machine: 'call', every: true, input: 'finish' },
    { machine: 'arguments', every: true, input: 'finish' },
  ]
}

function callMoves(piece: unknown): Move[] {
  if (!isObject(piece) || !isIndex(piece['index'])) return [wrong('call-index')]
  const { index, id, type, function: called }: ChatToolCall = piece
  if ((type && type !== 'function') || (!isObject(called) && type)) return [wrong('call-function')]
  const { name, arguments: text }: ChatFunction = isObject(called) ? called : {}
  const key = String(index)
  return [
    ...(type ? [{ machine: 'call', key, input: id && name ? 'begin' : 'half' }] : []),
    { machine: 'call', key, every: true, input: 'other' },
    ...(Number(index) > 0 ? [{ machine: 'call', key: String(Number(index) - 1), input: 'passed_over' }] : []),
    ...(typeof id === 'string' && id !== '' ? [{ machine: 'call_id', key: id, input: 'begin' }] : []),
    { machine: 'calls', input: 'call' },
    ...(text && typeof text !== 'string' ? [wrong('texts-are-text')] : []),
    { machine: 'arguments', key, input: isText(text) ? 'text' : 'begin' },
  ]
}

function untypedMoves(piece: unknown): Move[] {
  if (!isObject(piece) || !isIndex(piece['index'])) return []
  const { index, id, type, function: called }: ChatToolCall = piece
  if (type) return []
  const key = String(index)
  const names = id || (isObject(called) && called['name'])
  return [{ machine: 'call', key, input: 'more' }, ...(names ? [{ machine: 'call', key, input: 'named' }] : [])]
}

/** The client has room for 128. */
const isIndex = (index: unknown): boolean =>
  typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < 128
