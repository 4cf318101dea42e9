/** Random answers of a provider, and what may happen to their bytes. */
import {
  answer,
  call,
  error,
  frame,
  more,
  type Move,
  type Reply,
  refusal,
  type Scene,
  text,
  thought,
} from '@factwire/provider'
import fc from 'fast-check'

type Chunk = ReturnType<typeof text>

const anyText = fc.string({ unit: fc.constantFrom('a', 'é', '🌍', ' ', '\n', '"', '\\', '\u2028', 'bc'), maxLength: 8 })
const filled = anyText.filter((value) => value !== '')

interface PlannedCall {
  readonly id: string
  readonly name: string
  readonly args: string
  readonly cuts: readonly number[]
}

const anyArgs = fc.oneof(
  { weight: 6, arbitrary: fc.record({ city: filled, path: filled }).map((input) => JSON.stringify(input)) },
  { weight: 1, arbitrary: fc.constantFrom('', '{', '[]', '"a"', '{"city":', 'null', '{} x', '{"city":1}') },
)

const anyCall: fc.Arbitrary<PlannedCall> = fc.record({
  // Few ids, so that they repeat.
  id: fc.constantFrom('call_0', 'call_1', 'call_0-2'),
  name: fc.constantFrom('look_up', 'look_up', 'remove', 'choose', 'fail', 'fly'),
  args: anyArgs,
  cuts: fc.array(fc.nat(20), { maxLength: 3 }),
})

/** The first piece has the id and the name; the others come after those of the calls before it, or between them. */
function piecesOf({ id, name, args, cuts }: PlannedCall, index: number): Chunk[] {
  const places = [...new Set(cuts.map((at) => Math.min(at, args.length)))].toSorted((a, b) => a - b)
  const pieces = [0, ...places].map((from, nth) => args.slice(from, places[nth] ?? args.length))
  return [call(index, id, name, pieces[0]), ...pieces.slice(1).map((piece) => more(index, piece))]
}

function interleaved(lists: readonly Chunk[][], order: readonly number[]): Chunk[] {
  const left = lists.map((list) => [...list])
  const chunks: Chunk[] = []
  for (let turn = 0; left.some((list) => list.length > 0); turn++) {
    const open = left.filter((list) => list.length > 0)
    const next = open[(order[turn % order.length] ?? 0) % open.length]?.shift()
    if (next) chunks.push(next)
  }
  return chunks
}

const anyAnswer: fc.Arbitrary<Reply> = fc
  .record({
    thoughts: fc.array(anyText, { maxLength: 2 }),
    texts: fc.array(anyText, { maxLength: 4 }),
    calls: fc.oneof(fc.constant<PlannedCall[]>([]), fc.array(anyCall, { maxLength: 3 })),
    order: fc.array(fc.nat(5), { minLength: 1, maxLength: 8 }),
    reason: fc.constantFrom(
      undefined,
      undefined,
      undefined,
      undefined,
      'length',
      'content_filter',
      'stop',
      'tool_calls',
    ),
  })
  .map(({ thoughts, texts, calls, order, reason }) => {
    const lists = [texts.map(text), ...calls.map(piecesOf)]
    const usual = calls.length > 0 ? 'tool_calls' : 'stop'
    return answer(reason ?? usual, ...thoughts.map(thought), ...interleaved(lists, order))
  })

export type Fault =
  | { readonly type: 'none' }
  | { readonly type: 'cut' | 'close' | 'hang'; readonly at: number }
  | { readonly type: 'error' | 'garbage'; readonly at: number; readonly said: string }
  | { readonly type: 'refusal'; readonly status: number; readonly code: string }

const share = fc.double({ min: 0, max: 1, noNaN: true })
export const anyFault: fc.Arbitrary<Fault> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Fault>({ type: 'none' }) },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constantFrom('cut' as const, 'close' as const, 'hang' as const), at: share }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('error' as const),
      at: share,
      said: fc.constantFrom('server_error', 'overloaded', 'rate_limit_exceeded', 'invalid_request_error'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('garbage' as const),
      at: share,
      said: fc.constantFrom('data: {"choices"\n\n', '\u0000', 'data: []\n\n', '<html>'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom([429, 'rate_limit_exceeded'], [500, 'server_error'], [401, 'invalid_api_key'], [503, ''])
      .map(([status, code]): Fault => ({ type: 'refusal', status: Number(status), code: String(code) })),
  },
)

const encoder = new TextEncoder()

/** At a byte, or for what is said at the end of the message there. */
export function faulty(moves: readonly Move[], fault: Fault): readonly Move[] {
  if (fault.type === 'none') return moves
  if (fault.type === 'refusal') return refusal(fault.status, fault.code, 'no').moves
  const whole = moves.map((move) => (move.type === 'send' ? move.text : '')).join('')
  const bytes = encoder.encode(whole)
  const at = Math.floor(fault.at * bytes.length)
  if (fault.type === 'error' || fault.type === 'garbage') {
    const border = whole.lastIndexOf('\n\n', Math.floor(fault.at * whole.length)) + 2
    const said = fault.type === 'error' ? frame(error(fault.said, 'no more')) : fault.said
    const rest = fault.type === 'error' ? '' : whole.slice(Math.max(border, 0))
    return [{ type: 'send', text: `${border < 2 ? '' : whole.slice(0, border)}${said}${rest}` }]
  }
  const before: Move = { type: 'bytes', bytes: bytes.subarray(0, at) }
  return fault.type === 'close' ? [before] : [before, { type: fault.type }]
}

/** A script of a few rounds, some with more than one answer for who asks again. */
export const anyScene: fc.Arbitrary<Scene> = fc.array(fc.array(anyAnswer, { minLength: 1, maxLength: 3 }), {
  minLength: 1,
  maxLength: 3,
})
