/**
 * What chunks do, as moves. Each subagent has a lane, and the run itself has one; a lane has one message or call open, which a chunk
 * goes on with.
 *
 * A chunk that says no subagent is taken as the run's own, though the client looks where its id is open, or what alone is.
 */
import type { Move } from '@factwire/core'
import { begins, beginsCall, ownerName } from './owners.ts'

type Kind = 'text' | 'reasoning' | 'call'

export interface Piece {
  readonly kind: Kind
  /** Absent goes on with what is open. */
  readonly id: string | undefined
  readonly owner: string | undefined
  /** It may begin something: all but a piece of a call without its name. */
  readonly begins: boolean
  /** What may be said again: what the chunk says, and what it means to say nothing. */
  readonly words: Readonly<Record<string, Word>>
}

export interface Word {
  readonly said: string | undefined
  readonly else?: string
}

export const endsPiece = (owner: string | undefined): readonly Move[] => {
  const lane = ownerName(owner)
  return [
    { machine: 'lane', key: lane, input: 'other' },
    { machine: 'piece', group: lane, input: 'other', every: true },
  ]
}

export const endsPieces: readonly Move[] = [
  { machine: 'lane', input: 'other', every: true },
  { machine: 'piece', input: 'other', every: true },
]

export function pieceMoves({ kind, id, owner, begins: mayBegin, words }: Piece): readonly Move[] {
  const lane = ownerName(owner)
  const again = Object.entries(words).flatMap(([name, { said }]): Move[] =>
    said === undefined ? [] : [{ machine: 'word', group: lane, key: JSON.stringify([name, said]), input: 'again' }],
  )
  if (id === undefined) {
    const when = { machine: 'lane', key: lane, states: [kind] }
    return [{ machine: 'lane', key: lane, input: `more_${kind}` }, ...again.map((move) => ({ ...move, when }))]
  }
  const piece = { machine: 'piece', group: lane, key: `${kind} ${id}` }
  const open = { ...piece, states: ['open'] }
  const closed = { ...piece, states: ['closed'] }
  const first = Object.entries(words).map(([name, { said, else: silent }]): Move => ({
    machine: 'word',
    group: lane,
    key: JSON.stringify([name, said ?? silent ?? null]),
    input: 'say',
  }))
  return [
    ...again.map((move) => ({ ...move, when: open })),
    ...[{ machine: 'word', group: lane, input: 'forget', every: true } as const, ...first].map((move) => ({
      ...move,
      when: closed,
    })),
    ...(mayBegin ? [] : [{ ...piece, input: 'more' }]),
    ...(mayBegin ? owned(kind, id, owner, words).map((move) => ({ ...move })) : []),
    { machine: 'lane', key: lane, input: kind, ...(mayBegin ? {} : { when: open }) },
    { ...piece, input: 'chunk', ...(mayBegin ? {} : { when: open }) },
    { ...piece, input: 'other', every: true },
  ]
}

function owned(
  kind: Kind,
  id: string,
  owner: string | undefined,
  { parentMessageId }: Piece['words'],
): readonly Move[] {
  if (kind === 'call') return beginsCall(id, parentMessageId?.said, owner)
  return begins(kind === 'text' ? 'message' : 'reasoning', id, owner)
}
