/**
 * The events of the SSE wire in, what a page shows out: the client's fold.
 *
 * It takes events in any order and never throws. A fragment costs the same however long the run is; `view` gives the
 * parts that did not change as the same objects again.
 */
import { extractResponse, type Json, type TerminationReason, type ToolResult } from '@factwire/core'
import { createCosts } from './costs.ts'
import { createDocuments } from './documents.ts'
import { codeOf } from './ending.ts'
import { given } from './given.ts'
import { resultOf, resumedResult } from './result.ts'
import { historyOf } from './snapshot.ts'
import {
  createTranscript,
  isBlank,
  setArguments,
  settle,
  shownTurn,
  type WrittenCall,
  type WrittenTurn,
} from './transcript.ts'
import type { View, ViewError, ViewRun, ViewStatus } from './view.ts'
import type { FlatEvent, RunFinishEvent, RunStartEvent } from './wire.ts'

export interface Reducer {
  push(event: FlatEvent): void
  view(): View
}

/** The view of a whole stream. */
export function reduce(events: Iterable<FlatEvent>): View {
  const { push, view } = createReducer()
  for (const event of events) push(event)
  return view()
}

export function createReducer(): Reducer {
  const transcript = createTranscript()
  const documents = createDocuments()
  const costs = createCosts()
  /** The thread was told, and nothing since but model calls. */
  let toldAgain = false
  let run: ViewRun | undefined
  let status: ViewStatus = 'idle'
  let termination: TerminationReason | undefined
  let result: Json | undefined
  let error: ViewError | undefined
  let shown: View | undefined

  function push(event: FlatEvent): void {
    const over = status === 'suspended' || status === 'finished' || status === 'failed'
    if (over && event.event_type !== 'run_start') return
    if (status === 'idle') status = 'running'
    shown = undefined
    toldAgain &&= event.event_type === 'inference_complete'

    switch (event.event_type) {
      case 'text_delta':
        changed(transcript.writable()).text += event.delta
        break
      case 'reasoning_delta':
        changed(transcript.writable()).reasoning += event.delta
        break
      case 'reasoning_encrypted_value':
        changed(transcript.writable()).encryptedReasoning = event.encrypted_value
        break
      case 'tool_call_start': {
        const turn = transcript.writable()
        if (transcript.call(event.id)?.turn !== turn) transcript.addCall(turn, event.id, event.name)
        break
      }
      case 'tool_call_delta': {
        // Of a call that was cancelled or reset, late fragments may still come.
        const call = transcript.call(event.id)
        if (call?.status !== 'streaming') break
        call.argumentsText += event.args_delta
        changed(call.turn)
        break
      }
      case 'tool_call_ready': {
        const call = announced(event.id) ?? transcript.addCall(transcript.writable(), event.id, event.name)
        call.name = event.name
        setArguments(call, event.arguments)
        break
      }
      case 'tool_call_done':
        done(event.id, event.result)
        break
      case 'tool_call_resumed':
        settle(callFor(event.target_id, ''), resumedResult(event.result))
        break
      case 'tool_call_stream_delta': {
        const call = transcript.call(event.id)
        if (!call || call.result || call.status === 'cancelled') break
        call.output += event.delta
        changed(call.turn)
        break
      }
      case 'tool_call_cancel':
        cancel(transcript.call(event.id))
        break
      case 'stream_reset':
        transcript.reset()
        break
      case 'step_start':
        transcript.start(event.message_id)
        break
      case 'step_end':
        transcript.end()
        break
      case 'run_start':
        start(event)
        break
      case 'run_finish':
        finish(event)
        break
      case 'error':
        end('failed')
        error = { message: event.message, ...given('code', event.code) }
        break
      case 'inference_complete':
        costs.add(event, transcript.current(), toldAgain)
        break
      case 'messages_snapshot':
        transcript.replaceBefore(historyOf(event.messages))
        costs.threadTold()
        toldAgain = true
        break
      case 'state_snapshot':
        documents.setState(event.snapshot)
        break
      case 'state_delta':
        documents.patchState(event.delta)
        break
      case 'activity_snapshot':
        documents.setActivity(event)
        break
      case 'activity_delta':
        documents.patchActivity(event)
        break
      default:
        event satisfies never
    }
  }

  /** The call that a ready is about: one of this turn, or between turns one that still waits for its result. */
  function announced(id: string): WrittenCall | undefined {
    const call = transcript.call(id)
    const turn = transcript.current()
    return call && (call.turn === turn || (!turn?.open && !call.result)) ? call : undefined
  }

  /** A result without its call is shown all the same. */
  function callFor(id: string, name: string): WrittenCall {
    return transcript.call(id) ?? transcript.addCall(transcript.strays(), id, name)
  }

  function done(id: string, toolResult: ToolResult): void {
    const call = callFor(id, toolResult.tool_name)
    if (toolResult.status !== 'pending') settle(call, resultOf(toolResult))
    else if (!call.result) {
      call.status = 'suspended'
      call.output = ''
      if (toolResult.suspension) call.ticket = toolResult.suspension
      changed(call.turn)
    }
  }

  /** A call that was still being written goes; one that was made stays, and says so. */
  function cancel(call: WrittenCall | undefined): void {
    if (!call || call.result) return
    if (call.status === 'streaming') {
      transcript.removeCall(call)
      return
    }
    call.status = 'cancelled'
    call.output = ''
    delete call.ticket
    changed(call.turn)
  }

  function start({ thread_id, run_id, parent_run_id, identity }: RunStartEvent): void {
    // Of an earlier run or segment nothing begins again.
    if (status !== 'running' || run?.runId !== run_id) {
      transcript.leave()
      costs.begin()
    }
    run = {
      threadId: thread_id,
      runId: run_id,
      ...given('parentRunId', parent_run_id),
      ...given('identity', identity),
    }
    status = 'running'
    termination = undefined
    result = undefined
    error = undefined
  }

  function finish(event: RunFinishEvent): void {
    const started = run !== undefined
    run ??= { threadId: event.thread_id, runId: event.run_id, ...given('identity', event.identity) }
    // What came before an end without a start may be missing, too: no success.
    if (!started && event.termination.type !== 'error') {
      error = { code: 'stream_truncated', message: 'the run ended without a run_start' }
      end('failed')
      return
    }
    termination = event.termination
    result = event.result
    if (termination.type === 'error') error = { message: termination.value, ...given('code', codeOf(result)) }
    end(termination.type === 'error' ? 'failed' : termination.type === 'suspended' ? 'suspended' : 'finished')
  }

  function end(how: ViewStatus): void {
    status = how
    transcript.end()
    for (const call of transcript.calls()) {
      if (call.output === '') continue
      call.output = ''
      changed(call.turn)
    }
  }

  return {
    push,
    view() {
      const turns = transcript.turns()
      shown ??= {
        ...given('run', run),
        status,
        ...given('termination', termination),
        ...given('result', result),
        response: extractResponse(result),
        ...given('error', error),
        before: transcript.before(),
        turns: turns.filter((turn) => !isBlank(turn)).map(shownTurn),
        ...given('state', documents.state()),
        activities: documents.activities(),
        inference: costs.all(),
      }
      return shown
    },
  }
}

function changed(turn: WrittenTurn): WrittenTurn {
  turn.shown = undefined
  return turn
}
