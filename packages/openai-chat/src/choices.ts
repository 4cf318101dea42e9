/** Turns the choices of chunks, in the many shapes that servers give them, into the parts of one message. */
import { hasAt, isObject } from '@factwire/core'
import type { Answer } from './answer.ts'
import { thoughtSignatureOf } from './calls.ts'
import { isError } from './failure.ts'
import type { ChatAudio, ChatBody, ChatChoice, ChatPart } from './wire.ts'

export interface Choices {
  read(choice: ChatChoice): void
  end(): void
  /** A choice was seen, be it an empty one. */
  readonly any: boolean
}

export interface ChoiceEvents {
  finished(reason: string): void
  failed(error: unknown): void
}

type Part = 'text' | 'reasoning' | 'calls'

export function choicesOf(answer: Answer, { finished, failed }: ChoiceEvents): Choices {
  let any = false
  // A delta brought content. Then whole messages, which some servers send as well, are copies.
  let streamed = false
  let copy: { readonly message: ChatBody; readonly choice: number } | undefined
  let wholeText = ''
  let wholeThought = ''

  // Text, reasoning and calls may come in different choices of one answer. A choice that brings what another one already brought
  // is an alternative to it, and no part of the message.
  const owners: Record<Part, number | undefined> = { text: undefined, reasoning: undefined, calls: undefined }
  const alternatives = new Set<number>()
  const isAlternative = (choice: number): boolean => alternatives.size > 0 && alternatives.has(choice)

  function claims(part: Part, choice: number): boolean {
    if (isAlternative(choice)) return false
    const owner = (owners[part] ??= choice)
    if (owner === choice) return true
    alternatives.add(choice)
    return false
  }

  /** Whether anything came. */
  function readBody(body: ChatBody, choice: number): boolean {
    // The result of a tool that the server ran, streamed as if it were the assistant's text.
    if (body.role === 'tool' || body.role === 'function') return false
    const thought = readReasoning(body, choice)
    const text = readContent(body, choice)
    const called = Boolean(body.tool_calls || body.function_call) && readCalls(body, choice)
    return thought || text || called
  }

  function readReasoning(body: ChatBody, choice: number): boolean {
    // The same words may stand in all of these fields: one of them counts.
    const text = textOf(body.reasoning_content) || textOf(body.reasoning)
    const details = listOf(body.reasoning_details) ?? listOf(body.thinking_blocks)
    const signature = body.extra_content === undefined ? '' : thoughtSignatureOf(body.extra_content)
    if (text === '' && !details && signature === '') return false
    if (!claims('reasoning', choice)) return false
    if (details) answer.thoughtDetails(details, text)
    else if (text !== '') answer.thought(text)
    if (signature !== '') answer.thoughtSignature(signature)
    return true
  }

  function readContent(body: ChatBody, choice: number): boolean {
    const { content, refusal, audio } = body
    let came = false
    if (typeof content === 'string') {
      came = content !== '' && claims('text', choice)
      if (came) answer.text(content)
    } else if (Array.isArray(content)) for (const part of content) came = readPart(part, choice) || came
    else if (isObject(content)) came = readPart(content, choice)
    if (typeof refusal === 'string' && refusal !== '' && claims('text', choice)) {
      came = true
      answer.refusal(refusal)
    }
    return (isObject(audio) && readAudio(audio, choice)) || came
  }

  function readPart(raw: unknown, choice: number): boolean {
    const part: ChatPart = isObject(raw) ? raw : { text: raw }
    const thought = textOf(part.thinking) || (listOf(part.thinking) ?? []).map(partText).join('')
    const text = textOf(part.text)
    const refusal = textOf(part.refusal)
    if (thought !== '') {
      if (!claims('reasoning', choice)) return false
      answer.thought(thought)
    } else if (text === '' && refusal === '') return false
    else if (!claims('text', choice)) return false
    else if (text !== '') answer.text(text)
    else answer.refusal(refusal)
    return true
  }

  function readAudio({ transcript }: ChatAudio, choice: number): boolean {
    if (typeof transcript !== 'string' || transcript === '' || !claims('text', choice)) return false
    answer.text(transcript)
    return true
  }

  function readCalls({ tool_calls: list, function_call: single }: ChatBody, choice: number): boolean {
    const fragments: unknown[] = Array.isArray(list) ? list : []
    const calls = isObject(single) ? [...fragments, { index: 'function_call', function: single }] : fragments
    if (calls.length === 0 || !claims('calls', choice)) return false
    for (const call of calls) answer.call(call)
    return true
  }

  /** A message in place of a delta: all there is, or all there is so far. */
  function readMessage(message: ChatBody, choice: number): void {
    const text = textOf(message.content)
    const thought = textOf(message.reasoning_content) || textOf(message.reasoning)
    const { content, reasoning_details: details } = message
    const came = readBody(
      {
        role: message.role,
        content: text === '' ? content : suffix(wholeText, text),
        reasoning_content: suffix(wholeThought, thought),
        reasoning_details: details,
        refusal: message.refusal,
        tool_calls: message.tool_calls,
        function_call: message.function_call,
      },
      choice,
    )
    if (!came) return
    wholeText = hasAt(text, wholeText) ? text : wholeText + text
    wholeThought = hasAt(thought, wholeThought) ? thought : wholeThought + thought
  }

  return {
    read(choice) {
      any = true
      const number = typeof choice.index === 'number' ? choice.index : 0
      if (isObject(choice.delta)) {
        streamed = readBody(choice.delta, number) || streamed
        const { message } = choice
        if (isObject(message) && (copy?.choice ?? number) === number) copy = { message, choice: number }
      } else if (isObject(choice.message) && !streamed) readMessage(choice.message, number)
      if (isAlternative(number)) return
      // The last piece of audio may be all the finish there is.
      if (isObject(choice.delta) && hasLastAudio(choice.delta)) finished('stop')
      if (typeof choice.finish_reason === 'string') finished(choice.finish_reason)
      if (isError(choice.error)) failed(choice.error)
    },
    end() {
      if (copy && !streamed) readMessage(copy.message, copy.choice)
    },
    get any() {
      return any
    },
  }
}

function hasLastAudio({ audio }: ChatBody): boolean {
  return isObject(audio) && Boolean(audio['expires_at'])
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function listOf(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) && value.length > 0 ? value : undefined
}

function partText(part: unknown): string {
  return isObject(part) ? textOf(part['text']) : textOf(part)
}

/** What a whole says beyond what is known of it. */
function suffix(known: string, whole: string): string {
  return hasAt(whole, known) ? whole.slice(known.length) : whole
}
