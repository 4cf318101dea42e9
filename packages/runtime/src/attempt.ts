/**
 * One request to the model: its answer shown as it comes, and how it ended.
 *
 * Nothing of it is committed here. Whatever fetch, body or provider do, it ends: by itself, by a timeout, or because the run is to
 * end. What waits for a slow output does not count as silence of the provider.
 */
import { type Commit, type Delta, type Inference, isCommit, isObject, type Message, parseJson } from '@factwire/core'
import type { Clock } from './clock.ts'
import { failureIn, failureOfError, failureOfStatus, type ProviderFailure, timedOut } from './failure.ts'
import type { Limits } from './limits.ts'
import type { ModelRequest, Provider, Reading } from './model.ts'
import { linked, within } from './race.ts'
import { type Stop, stopOf } from './stop.ts'
import { wholeAnswer } from './whole-answer.ts'

export type Outcome =
  /** The answer is whole. `end` has its message, and says how the model finished. */
  | { readonly type: 'answered'; readonly end: Commit; readonly inference: Inference | undefined }
  /** `message` is what there was of it. */
  | { readonly type: 'failed'; readonly failure: ProviderFailure; readonly message: Message | undefined }
  | { readonly type: 'stopped' }

export interface AttemptSetting {
  readonly fetch: typeof fetch
  readonly clock: Clock
  readonly limits: Limits
  /** The run is to end. */
  readonly stop: Stop
  /** Shows a fragment; settles when there is room for the next. */
  show(delta: Delta): Promise<void>
  /** Given what reads the answer, which comes to know the model's name. */
  onReading(reading: Reading): void
}

/** Far more than an error needs. */
const LONGEST_BODY = 64 * 1024

export async function attempt(model: Provider, request: ModelRequest, setting: AttemptSetting): Promise<Outcome> {
  const { clock, limits, stop } = setting
  const { controller, release } = linked(stop)
  const { signal } = controller
  const own = stopOf(signal)
  const began = clock.now()
  const answer = model.reading()
  setting.onReading(answer)
  const whole = wholeAnswer()
  let begun = false
  let expired: ProviderFailure | undefined
  const expire = (cause: string, message: string) => (): void => {
    expired = timedOut(cause, message)
    controller.abort(new Error(message))
  }
  const callOff = clock.after(limits.totalMs, expire('deadline', `no whole answer within ${limits.totalMs} ms`))
  const listen = <Value>(promise: PromiseLike<Value>): Promise<Value> => {
    const silent = clock.after(limits.idleMs, expire('idle stall', `nothing came for ${limits.idleMs} ms`))
    return within(own, promise).finally(silent)
  }

  /** The commit that ends the answer, once it is there. Shows what comes before it. */
  async function take(items: readonly (Delta | Commit)[]): Promise<Commit | undefined> {
    for (const item of items) {
      if (!isCommit(item)) {
        const shown = whole.shown(item)
        if (shown) await setting.show(shown)
      } else if (item.state.type === 'running') whole.add(item)
      else return whole.end(item)
    }
    return undefined
  }

  async function read(response: Response): Promise<Commit | undefined> {
    for await (const message of model.messages(bytesOf(response, listen))) {
      const end = await take(answer.push(message))
      if (end) return end
    }
    return take(answer.end())
  }

  function broken(error: unknown): Outcome {
    if (stop.aborted) return { type: 'stopped' }
    const failure = expired ?? failureOfError(error, begun)
    const left = answer.end(failure)
    for (const commit of left.slice(0, -1)) whole.add(commit)
    const partial = left.at(-1)
    return { type: 'failed', failure, message: partial && answerIn(whole.end(partial)) }
  }

  try {
    const response = await listen(
      setting.fetch(request.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...request.headers },
        body: JSON.stringify(request.body),
        signal,
      }),
    )
    begun = true
    if (!response.ok) return await refused(model, response, clock.now(), listen)
    const end = await read(response)
    return end ? ended(end, clock.now() - began) : broken(new Error('the answer had no end'))
  } catch (error) {
    return broken(error)
  } finally {
    callOff()
    release()
    // Nobody reads on, whatever ended it.
    controller.abort()
  }
}

export const answerIn = ({ messages }: Commit): Message | undefined => messages.find(({ role }) => role === 'assistant')

function ended(end: Commit, duration_ms: number): Outcome {
  const { state, inference } = end
  if (state.type === 'ended' && state.cause.type === 'error') {
    return { type: 'failed', failure: failureIn(state.cause.failure), message: answerIn(end) }
  }
  if (end.pending?.some(({ kind }) => kind === 'approval')) {
    return { type: 'failed', failure: APPROVAL_UNSUPPORTED, message: answerIn(end) }
  }
  return { type: 'answered', end, inference: inference && { ...inference, duration_ms } }
}

/** Nobody here can agree to what the provider would do itself, and to run a tool of that name would be another thing. */
const APPROVAL_UNSUPPORTED: ProviderFailure = {
  code: 'approval_unsupported',
  message: 'the provider asks somebody to agree to a call of its own, and nobody here can',
  cause: 'an approval was asked for',
}

type Listen = <Value>(promise: PromiseLike<Value>) => Promise<Value>

/** A body that is not read to its end is cancelled, unheard. */
async function* bytesOf({ body }: Response, listen: Listen): AsyncGenerator<Uint8Array> {
  if (!body) return
  const reader = body.getReader()
  try {
    for (let next = await listen(reader.read()); !next.done; next = await listen(reader.read())) yield next.value
  } finally {
    reader.cancel().catch(() => undefined)
  }
}

/** The wire knows how its errors look, as it would in a stream. */
async function refused(model: Provider, response: Response, now: number, listen: Listen): Promise<Outcome> {
  const body = await bodyOf(response, listen)
  const reader = model.reading()
  const end = [...reader.push({ data: jsonIn(body) ? body : '', stray: true }), ...reader.end()].filter(isCommit).at(-1)
  const state = end?.state
  const told = state?.type === 'ended' && state.cause.type === 'error' ? state.cause.failure : undefined
  const said = told && jsonIn(body) ? told : { code: 'provider_error', message: body.slice(0, 200) }
  return { type: 'failed', failure: failureOfStatus(response.status, said, response.headers, now), message: undefined }
}

async function bodyOf(response: Response, listen: Listen): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const bytes of bytesOf(response, listen)) {
      text += decoder.decode(bytes, { stream: true })
      if (text.length > LONGEST_BODY) break
    }
  } catch {
    // The status says enough.
  }
  return text
}

function jsonIn(text: string): boolean {
  try {
    const value = parseJson(text)
    return isObject(value) || Array.isArray(value)
  } catch {
    return false
  }
}
