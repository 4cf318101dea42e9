/** The official chat of each major: what its user ends with after a stream, and whether it complained. */
import * as six from 'ai'
import * as five from 'ai-5'
import * as seven from 'ai-7'
import type { Target } from '../src/wire.ts'
import { chatState } from './chat-state.ts'

export interface Told {
  readonly type: string
  readonly id?: string
  readonly data: unknown
}

/** One that a page has to draw. */
export interface Page {
  readonly messages: readonly UIMessage[]
  readonly status: 'submitted' | 'streaming' | 'ready' | 'error'
  readonly error: Error | undefined
  /** What was told beside the messages, in order. */
  readonly told: readonly Told[]
  /** The calls that the chat handed to the page to run. */
  readonly ran: readonly string[]
  readonly finishReasons: readonly (string | undefined)[]
  /** Bodies of its requests; null for one that asked to go on reading. */
  readonly sent: readonly unknown[]
  readonly warnings: readonly string[]
}

export interface Answer {
  readonly approved?: boolean
  readonly reason?: string
  readonly output?: unknown
  readonly errorText?: string
}

export interface Chat {
  /** Asks with the messages that it has, and reads the answer. */
  ask(body?: string): Promise<void>
  /** Without a body `respond` answers. */
  say(text: string, body?: string): Promise<void>
  /** Connects again, and reads on. */
  resume(body?: string): Promise<void>
  regenerate(body?: string): Promise<void>
  /** Answers every call that waits for the page, by its id. */
  answer(answers: (call: WaitingCall) => Answer | undefined): Promise<void>
  /** Waits until nothing is asked any more. */
  settled(): Promise<void>
  page(): Page
}

export interface WaitingCall {
  readonly id: string
  readonly name: string
  readonly asks: boolean
}

export interface ChatOptions {
  readonly messages?: readonly UIMessage[]
  /** When it asks again by itself. */
  readonly sendWhen?: Automatic
  /** What a request after those that are given gets. Default: an empty body. */
  readonly respond?: (request: unknown) => Response | Promise<Response>
  /** The stream that comes after a lost connection does not tell the message from its beginning. */
  readonly tail?: boolean
}

export type UIMessage = six.UIMessage

/** What is used of each major is alike; their types are not the same types. */
export const SDKS = { v5: five, v6: six, v7: seven } as unknown as Readonly<Record<Target, typeof six>>

type Automatic = typeof six.lastAssistantMessageIsCompleteWithToolCalls

export function openChat(version: Target, options: ChatOptions = {}): Chat {
  const { messages = [], respond, sendWhen, tail } = options
  let next: string | undefined
  let asked = 0
  const told: Told[] = []
  const ran: string[] = []
  const finishReasons: (string | undefined)[] = []
  const sent: unknown[] = []
  const warnings: string[] = []

  async function answerTo(_url: unknown, init?: RequestInit): Promise<Response> {
    const request: unknown = typeof init?.body === 'string' ? JSON.parse(init.body) : null
    sent.push(request)
    asked++
    const body = next
    next = undefined
    if (body !== undefined) return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    return respond?.(request) ?? new Response('', { status: 204 })
  }

  const state = chatState(structuredClone(messages) as UIMessage[])
  const { AbstractChat, DefaultChatTransport } = SDKS[version]
  class TestChat extends AbstractChat<UIMessage> {}
  const chat = new TestChat({
    id: 'chat-1',
    state,
    transport: new DefaultChatTransport({
      api: 'http://agent.test/',
      fetch: answerTo as typeof fetch,
      ...(tail ? { resumeStreamIsReplay: false } : {}),
    }),
    onData: (part) => void told.push(part as Told),
    onToolCall: ({ toolCall }) => void ran.push(toolCall.toolCallId),
    onFinish: (end) => void finishReasons.push(end.finishReason),
    ...(sendWhen ? { sendAutomaticallyWhen: sendWhen } : {}),
  })

  /** What it writes to the console is a complaint. */
  async function listening(run: () => Promise<void>): Promise<void> {
    const { warn, error, info } = console
    console.warn = (...args: unknown[]): void => void warnings.push(args.map(String).join(' '))
    console.error = console.warn
    try {
      await run()
    } finally {
      Object.assign(console, { warn, error, info })
    }
  }

  return {
    ask: (body) =>
      listening(() => {
        next = body
        return chat.sendMessage()
      }),
    say: (text, body) =>
      listening(() => {
        next = body
        return chat.sendMessage({ text })
      }),
    resume: (body) =>
      listening(() => {
        next = body
        return chat.resumeStream()
      }),
    regenerate: (body) =>
      listening(() => {
        next = body
        return chat.regenerate()
      }),
    async answer(answers) {
      for (const call of waitingCalls(chat.messages)) {
        const given = answers(call)
        if (!given) continue
        const { approved = true, reason, output = null, errorText } = given
        if (call.asks)
          await chat.addToolApprovalResponse({ id: call.id, approved, ...(reason === undefined ? {} : { reason }) })
        else {
          const of = { tool: call.name as never, toolCallId: call.id }
          await (version === 'v5' ? chat.addToolResult : chat.addToolOutput)(
            errorText === undefined ? { ...of, output: output as never } : { ...of, state: 'output-error', errorText },
          )
        }
      }
    },
    async settled() {
      for (let before = -1; before !== asked || chat.status === 'submitted' || chat.status === 'streaming';) {
        before = asked
        for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
      }
    },
    page: () => ({
      messages: chat.messages,
      status: chat.status,
      error: chat.error,
      told,
      ran,
      finishReasons,
      sent,
      warnings,
    }),
  }
}

interface LoosePart {
  readonly type: string
  readonly toolCallId?: string
  readonly state?: string
  readonly providerExecuted?: boolean
}

/** The calls that a page shows as its user's or its own to answer. */
export function waitingCalls(messages: readonly UIMessage[]): readonly WaitingCall[] {
  return messages.flatMap(({ parts }) =>
    (parts as readonly LoosePart[]).flatMap(({ type, toolCallId, state, providerExecuted }): WaitingCall[] => {
      if (toolCallId === undefined) return []
      const call = { id: toolCallId, name: type.slice('tool-'.length) }
      if (state === 'approval-requested') return [{ ...call, asks: true }]
      return state === 'input-available' && !providerExecuted ? [{ ...call, asks: false }] : []
    }),
  )
}
