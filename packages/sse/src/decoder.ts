/**
 * Flat events in, deltas as they arrive and commits when something is complete out.
 *
 * A message is committed with the first event after its model call or its step, because until then it may be taken
 * back, and because whether a call is pending belongs to it. `messages_snapshot` is not the run's own word: it gives no
 * facts, and only says which calls are open.
 */
import {
  type Commit,
  type Decoder,
  type Delta,
  type EndCause,
  endRun,
  type Failure,
  isCommit,
  type Json,
  none,
  type RunContext,
} from '@factwire/core'
import { type CommittedDocuments, together } from './committed-documents.ts'
import { causeOf, outputOf } from './ending.ts'
import { given } from './given.ts'
import { resumedResult } from './result.ts'
import { createSteps, type Items, RUNNING, type TakenMessage } from './steps.ts'
import type { ActivityDeltaEvent, FlatEvent, RunFinishEvent, RunStartEvent } from './wire.ts'

const TRUNCATED: Failure = { code: 'stream_truncated', message: 'the stream ended before its end' }
/** What came before it may be missing, too. */
const UNSTARTED: Failure = { code: 'stream_truncated', message: 'the run ended without a run_start' }

export function decoder(): Decoder<FlatEvent> {
  let phase: 'new' | 'running' | 'awaiting' | 'ended' = 'new'
  let run: Partial<RunContext> = {}
  const steps = createSteps(() => run.runId ?? 'run')
  /** A commit after which no call is open: what else the step has, before its end, belongs to it. */
  let held: Commit | undefined
  /** Model calls that the segment has told of. */
  let spent = 0
  /** How many of them were told again, where nothing else has come since the thread was told. */
  let again: number | undefined
  let stateRevision = 0
  const activityRevisions = new Map<string, number>()

  function start({ thread_id, run_id, parent_run_id, identity }: RunStartEvent, items: Items): void {
    if (phase === 'running' && run.runId !== undefined) return
    run = {
      ...run,
      threadId: thread_id,
      runId: run_id,
      ...given('parentRunId', parent_run_id),
      ...given('identity', identity),
      ...given('agentId', identity?.agent_id),
    }
    begin(items)
  }

  function begin(items: Items): void {
    if (phase === 'running') return
    phase = 'running'
    spent = 0
    stateRevision = 0
    activityRevisions.clear()
    items.push({ messages: [], state: RUNNING })
  }

  function finish({ termination, result }: RunFinishEvent, items: Items): void {
    const cause = causeOf(termination, result)
    if (run.runId === undefined && cause?.type !== 'error') end({ type: 'error', failure: UNSTARTED }, undefined, items)
    else if (cause) end(cause, outputOf(result), items)
    else suspend(items)
  }

  /** Nothing follows the commit that ends a segment, so what would is told before it. */
  function taken(last: TakenMessage, items: Items): TakenMessage {
    if (last.later.length === 0) return last
    items.push({ messages: [], state: RUNNING, ...last.documents }, ...last.later)
    return { ...last, documents: {}, later: [] }
  }

  function suspend(items: Items): void {
    const { message, inference, documents } = taken(steps.take('whole', items), items)
    phase = 'awaiting'
    items.push({
      messages: message ? [message] : [],
      state: { type: 'awaiting' },
      pending: steps.pending(),
      ...given('inference', inference),
      ...documents,
    })
  }

  /** What was being written is kept as far as it came. */
  function end(cause: EndCause, result: Json | undefined, items: Items): void {
    const { message, inference, documents } = taken(steps.take('partial', items), items)
    phase = 'ended'
    items.push({
      ...endRun({ state: RUNNING, openCalls: steps.openCalls() }, cause, message),
      ...given('inference', inference),
      ...documents,
      ...given('result', result),
    })
  }

  function hold(items: Items): void {
    const last = items.at(-1)
    if (!last || !isCommit(last) || last.messages.length === 0 || steps.waiting()) return
    held = last
    items.pop()
  }

  function flush(items: Items): void {
    if (held) items.push(held)
    held = undefined
  }

  /** What a step has before its end belongs to its last commit. */
  function addSnapshot(part: CommittedDocuments, items: Items): void {
    steps.release(items)
    if (steps.open()) hold(items)
    // A commit has one state, so another one is a commit of its own.
    if (held?.snapshot !== undefined && part.snapshot !== undefined) flush(items)
    if (held)
      held = {
        ...held,
        ...together({ ...given('snapshot', held.snapshot), ...given('activities', held.activities) }, part),
      }
    else steps.document(part, items)
  }

  function activityDelta({ message_id, activity_type, patch }: ActivityDeltaEvent): Delta {
    const key = JSON.stringify([message_id, activity_type])
    const revision = activityRevisions.get(key) ?? 0
    activityRevisions.set(key, revision + 1)
    return { type: 'activity_delta', message_id, activity_type, patch, revision }
  }

  /** What a fragment of the message that is being written is, where it is nothing else: nearly every event is that. */
  function fragment(event: FlatEvent): Delta | undefined {
    const draft = phase === 'running' && !held ? steps.current() : undefined
    switch (event.event_type) {
      case 'text_delta':
        return event.delta === '' ? undefined : draft?.text(event.delta)
      case 'reasoning_delta':
        return event.delta === '' ? undefined : draft?.reasoning(event.delta)
      case 'tool_call_delta':
        return event.args_delta === '' ? undefined : draft?.args(event.id, event.args_delta)
      default:
        return undefined
    }
  }

  function push(told: FlatEvent): readonly (Delta | Commit)[] {
    const delta = fragment(told)
    if (delta) return [delta]
    if (phase === 'ended' || (phase === 'awaiting' && told.event_type !== 'run_start')) return none
    const items: Items = []
    if (told.event_type === 'run_start') {
      start(told, items)
      return items
    }
    begin(items)
    if (told.event_type !== 'state_snapshot' && told.event_type !== 'activity_snapshot') flush(items)
    if (told.event_type !== 'inference_complete') again = undefined
    const event = steps.news(told)
    if (!event) return items

    switch (event.event_type) {
      case 'text_delta':
        if (event.delta !== '') items.push(steps.writable(items).text(event.delta))
        break
      case 'reasoning_delta':
        if (event.delta !== '') items.push(steps.writable(items).reasoning(event.delta))
        break
      case 'reasoning_encrypted_value':
        steps.writable(items).encrypted(event.encrypted_value)
        break
      case 'tool_call_start':
        if (!steps.draft()?.call(event.id)) items.push(steps.writable(items).open(event.id, event.name))
        break
      case 'tool_call_delta': {
        const delta = event.args_delta === '' ? undefined : steps.draft()?.args(event.id, event.args_delta)
        if (delta) items.push(delta)
        break
      }
      case 'tool_call_ready':
        steps.ready(event.id, event.name, event.arguments, items)
        break
      case 'tool_call_done':
        steps.done(event.id, event.message_id, event.result, items)
        hold(items)
        break
      case 'tool_call_resumed':
        steps.resumed(event.target_id, resumedResult(event.result), items)
        hold(items)
        break
      case 'tool_call_stream_delta':
        steps.runs(event.id, items)
        items.push({ type: 'tool_output_delta', id: event.id, name: event.name, delta: event.delta })
        break
      case 'tool_call_cancel':
        steps.cancel(event.id, event.name, event.reason, items)
        hold(items)
        break
      case 'stream_reset':
        steps.reset(event.reason, items)
        break
      case 'step_start':
        steps.start(event.message_id, items)
        break
      case 'step_end':
        steps.end()
        break
      case 'inference_complete': {
        const { model, usage, duration_ms } = event
        run = { ...run, model }
        if (again !== undefined && again++ < spent) break
        if (steps.inferred({ model, ...given('usage', usage), duration_ms }, items)) spent++
        break
      }
      case 'run_finish':
        finish(event, items)
        break
      case 'error':
        end({ type: 'error', failure: { code: event.code ?? 'error', message: event.message } }, undefined, items)
        break
      case 'messages_snapshot':
        steps.snapshot(event.messages, items)
        again = 0
        break
      case 'state_snapshot':
        addSnapshot({ snapshot: event.snapshot }, items)
        break
      case 'state_delta':
        steps.release(items)
        steps.document({ type: 'state_delta', delta: event.delta, revision: stateRevision++ }, items)
        break
      case 'activity_snapshot': {
        const { message_id, activity_type, content, replace } = event
        addSnapshot({ activities: [{ message_id, activity_type, content, ...given('replace', replace) }] }, items)
        break
      }
      case 'activity_delta':
        steps.release(items)
        steps.document(activityDelta(event), items)
        break
    }
    return items
  }

  return {
    push,
    end(failure) {
      // A segment that ended in awaiting had its end, whatever becomes of the connection.
      if (phase === 'ended' || phase === 'awaiting') return none
      const items: Items = []
      flush(items)
      end({ type: 'error', failure: failure ?? TRUNCATED }, undefined, items)
      return items.filter(isCommit)
    },
    run: () => run,
  }
}
