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
      return [
        { machine: 'call', every: true, input: 'done' },
        { machine: 'choice', every: true, input: 'done' },
        run('done'),
      ]
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
  const body: ChatBody = isObject(delta) ? delta : {}
  const pieces: unknown[] = Array.isArray(body.tool_calls) ? body.tool_calls : []
  const { of, begins } = index === 0 ? ANSWER : anotherChoice(Number(index))
  return [
    ...(index === 0 ? [] : [wrong('one-choice')]),
    ...begins,
    ...(message === undefined ? [] : [wrong('delta-only')]),
    ...bodyMoves(body, pieces, Boolean(finish_reason), of),
    ...(finish_reason ? finishMoves(finish_reason === 'tool_calls' ? 'finish_calls' : 'finish', of) : []),
    // The client takes the type of a piece before the finish beside it, and leaves the call of one without a type after it.
    ...pieces.flatMap((piece) => untypedMoves(piece, of)),
  ]
}

/** The machines of one choice: of the answer itself, which is the run, or of one that should not be there. */
interface Choice {
  readonly group: string
  readonly run: (input: string) => Move
}

interface BegunChoice {
  readonly of: Choice
  readonly begins: readonly Move[]
}

const ANSWER: BegunChoice = { of: { group: '', run }, begins: [] }

function anotherChoice(index: number): BegunChoice {
  const key = String(index)
  return {
    of: { group: `choice ${key}`, run: (input) => ({ machine: 'choice', key, input }) },
    begins: index > 1 ? [{ machine: 'choice', key: String(index - 1), input: 'passed_over' }] : [],
  }
}

function bodyMoves(body: ChatBody, pieces: readonly unknown[], finishes: boolean, of: Choice): Move[] {
  const { role, content, function_call: older } = body
  const told = isText(content) || Object.entries(body).some(([field, value]) => field !== 'role' && isText(value))
  const says = told || pieces.length > 0 || (!role && !finishes)
  const strange = role && role !== 'assistant' && of === ANSWER.of
  return [
    ...(role ? [strange ? wrong('role-assistant') : of.run('role')] : []),
    ...(says ? [of.run('piece')] : []),
    ...(content && typeof content !== 'string' ? [wrong('texts-are-text')] : []),
    ...(older ? [wrong('no-function-call')] : []),
    ...(pieces.length > 0
      ? pieces.flatMap((piece) => callMoves(piece, of))
      : [{ machine: 'call', group: of.group, every: true, input: 'piece' } as const]),
  ]
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''

function finishMoves(input: 'finish' | 'finish_calls', { group, run: ends }: Choice): Move[] {
  return [
    ends(input),
    { machine: 'calls', group, input },
    { machine: 'call', group, every: true, input: 'finish' },
    { machine: 'arguments', group, every: true, input: 'finish' },
  ]
}

function callMoves(piece: unknown, { group }: Choice): Move[] {
  if (!isObject(piece) || !isIndex(piece['index'])) return [wrong('call-index')]
  const { index, id, type, function: called }: ChatToolCall = piece
  if ((type && type !== 'function') || (!isObject(called) && type)) return [wrong('call-function')]
  const { name, arguments: text }: ChatFunction = isObject(called) ? called : {}
  const key = String(index)
  return [
    ...(type ? [{ machine: 'call', group, key, input: id && name ? 'begin' : 'half' }] : []),
    { machine: 'call', group, key, every: true, input: 'other' },
    ...(Number(index) > 0 ? [{ machine: 'call', group, key: String(Number(index) - 1), input: 'passed_over' }] : []),
    ...(typeof id === 'string' && id !== '' ? [{ machine: 'call_id', key: id, input: 'begin' }] : []),
    { machine: 'calls', group, input: 'call' },
    ...(text && typeof text !== 'string' ? [wrong('texts-are-text')] : []),
    { machine: 'arguments', group, key, input: isText(text) ? 'text' : 'begin' },
  ]
}

function untypedMoves(piece: unknown, { group }: Choice): Move[] {
  if (!isObject(piece) || !isIndex(piece['index'])) return []
  const { index, id, type, function: called }: ChatToolCall = piece
  if (type) return []
  const key = String(index)
  const names = id || (isObject(called) && called['name'])
  return [
    { machine: 'call', group, key, input: 'more' },
    ...(names ? [{ machine: 'call', group, key, input: 'named' }] : []),
  ]
}

/** The client has room for 128. */
const isIndex = (index: unknown): boolean =>
  typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < 128
