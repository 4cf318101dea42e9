/**
 * What a run really was, read off its commits by hand. It goes through no fold, transcoder or client, so it can judge all
 * three.
 */
import type { Commit, ContentBlock, EndCause, Json, Message } from '@factwire/core'
import type { LiveRun } from './run.ts'
import type { Seen, SeenActivity, SeenCall, SeenResult, SeenTurn } from './seen.ts'

interface OpenCall {
  readonly turn: number
  readonly call: number
  readonly id: string
}

/** `first` is the segment that the run goes on from: its turns stand before. */
export function truthOf(run: LiveRun, first?: LiveRun): Seen {
  const commits = [...commitsOf(first), ...commitsOf(run)]
  const turns: SeenTurn[] = []
  const open: OpenCall[] = []
  for (const message of commits.flatMap(({ messages }) => messages)) {
    if (message.role === 'assistant') {
      const turn = turnOf(message)
      turn.calls.forEach(({ id }, call) => open.push({ turn: turns.length, call, id }))
      turns.push(turn)
    } else if (message.role === 'tool') {
      for (const block of message.content) if (block.type === 'tool_result') answer(turns, open, block)
    }
  }
  return { turns, ...endOf(commitsOf(run).at(-1)), ...documentsOf(commits) }
}

const commitsOf = (run: LiveRun | undefined): Commit[] =>
  (run?.script ?? []).flatMap((item) => ('commit' in item ? [item.commit] : []))

const textIn = (content: readonly ContentBlock[]): string =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('')

function turnOf({ id, content }: Message): SeenTurn {
  const thoughts = content.filter((block) => block.type === 'thinking')
  return {
    id,
    text: textIn(content),
    ...(thoughts.length > 0 ? { reasoning: thoughts.map(({ text }) => text).join('') } : {}),
    calls: content.flatMap((block) => (block.type === 'tool_use' ? [callOf(block)] : [])),
  }
}

function callOf({ id, name, input, raw_input }: ContentBlock & { readonly type: 'tool_use' }): SeenCall {
  const unparsed = input === null && raw_input !== undefined && !isJson(raw_input)
  return { id, name, arguments: input, ...(unparsed ? { unparsed: raw_input } : {}) }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** A result belongs to the oldest call of its id that has none. */
function answer(turns: SeenTurn[], open: OpenCall[], block: ContentBlock & { readonly type: 'tool_result' }): void {
  const index = open.findIndex(({ id }) => id === block.tool_use_id)
  const [place] = index === -1 ? [] : open.splice(index, 1)
  const turn = place && turns[place.turn]
  if (!turn || !place) return
  const { content, is_error, denied, data } = block
  const result: SeenResult = {
    text: textIn(content),
    ...(is_error ? { is_error } : {}),
    ...(denied ? { denied } : {}),
    ...(data === undefined ? {} : { data }),
  }
  turns[place.turn] = {
    ...turn,
    calls: turn.calls.map((call, position) => (position === place.call ? { ...call, result } : call)),
  }
}

function endOf(last: Commit | undefined): Pick<Seen, 'status' | 'code' | 'waitingFor'> {
  const state = last?.state
  if (!state || state.type === 'running') return { status: 'running' }
  if (state.type === 'awaiting') {
    return { status: 'waiting', waitingFor: (last.pending ?? []).map(({ tool_use_id }) => tool_use_id) }
  }
  const code = failureOf(state.cause)
  return code === undefined ? { status: 'finished' } : { status: 'failed', code }
}

function failureOf(cause: EndCause): string | undefined {
  if (cause.type === 'error') return cause.failure.code
  return cause.type === 'indeterminate' ? cause.type : undefined
}

/** The state and the activities as they were committed last. */
function documentsOf(commits: readonly Commit[]): Pick<Seen, 'state' | 'activities'> {
  let state: Json | undefined
  const activities = new Map<string, SeenActivity>()
  for (const { snapshot, activities: given = [] } of commits) {
    if (snapshot !== undefined) state = snapshot
    for (const { message_id, activity_type, content, replace } of given) {
      const key = JSON.stringify([message_id, activity_type])
      if (replace !== false || !activities.has(key)) activities.set(key, { message_id, activity_type, content })
    }
  }
  return {
    ...(state === undefined ? {} : { state }),
    ...(activities.size === 0 ? {} : { activities: [...activities.values()] }),
  }
}
