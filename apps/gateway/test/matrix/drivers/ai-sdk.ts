/** A chat of the AI SDK with its own transport, as `useChat` makes one: tools by `onToolCall`, approvals when the page shows them. */
import type * as six from 'ai'
import { chatState } from '../../../../../packages/ai-sdk/test/chat-state.ts'
import { callShown, type Client, type Part, textIn, threadAs } from '../client.ts'
import type { View } from '../scene.ts'
import { until } from '../until.ts'

export type Sdk = typeof six
type UIMessage = six.UIMessage

export function pageClient(name: string, from: string, sdk: Sdk, target: 'v5' | 'v6' | 'v7'): Client {
  return {
    name,
    from,
    unseen: {},
    cannot: {},
    afterCut: 'reads on',
    async play(part) {
      let page = open(sdk, target, part)
      for (const text of part.says) {
        await page.sendMessage({ text })
        await settled(page, sdk)
        if (part.wasCut()) return readOn(page, part)
        if (part.reloads) page = open(sdk, target, part, await threadAs(part, `ai-sdk&target=${target}`))
        while (await answerAll(page, part)) await settled(page, sdk)
      }
      return viewOf(page)
    },
    async join(part) {
      const page = open(sdk, target, part)
      await page.resumeStream()
      return viewOf(page)
    },
  }

  async function readOn(page: Page, part: Part): Promise<View> {
    // One of v5 adds to what it has: it has to be opened anew.
    const again = target === 'v5' ? open(sdk, target, part, page.messages.slice(0, 1)) : page
    await again.resumeStream()
    return viewOf(again)
  }
}

/** With what its models wrote, request by request. */
type Page = six.AbstractChat<UIMessage> & { tokens: number }

function open(sdk: Sdk, target: string, part: Part, messages: readonly UIMessage[] = []): Page {
  class Chat extends sdk.AbstractChat<UIMessage> {
    tokens = 0
  }
  const page = new Chat({
    id: part.threadId,
    state: chatState([...messages]),
    transport: new sdk.DefaultChatTransport({
      api: `${part.url}/v1/ai-sdk`,
      body: { model: part.model, tools: Object.fromEntries(part.tools.map((name) => [name, {}])) },
      fetch: (input, init) => fetch(new URL(`?target=${target}`, new Request(input).url), init),
    }),
    onToolCall({ toolCall: { toolName, toolCallId } }) {
      // v5 has no approvals: a question is a call of the page, which it shows to its user.
      if (part.isAsked && !part.tools.includes(toolName)) return
      const given = { tool: toolName as never, toolCallId, output: part.run(toolName) as never }
      void (target === 'v5' ? page.addToolResult(given) : page.addToolOutput(given))
    },
    onFinish({ message }) {
      page.tokens += toldBy(message).usage?.outputTokens ?? 0
    },
    sendAutomaticallyWhen: (given) => isDue(sdk, given.messages),
  })
  return page
}

/** It has answered all that it was asked. */
const isDue = (sdk: Sdk, messages: UIMessage[]): boolean =>
  sdk.lastAssistantMessageIsCompleteWithToolCalls({ messages }) ||
  // v5 has no approvals.
  (sdk.lastAssistantMessageIsCompleteWithApprovalResponses?.({ messages }) ?? false)

/** Nothing is on its way, and nothing is about to be. */
const settled = (page: Page, sdk: Sdk): Promise<void> =>
  until(() => page.status === 'error' || (page.status === 'ready' && !isDue(sdk, page.messages)))

/** Whether its user was asked anything. */
async function answerAll(page: Page, part: Part): Promise<boolean> {
  const asked = partsOf(page).filter((each) => isQuestion(each, part))
  for (const { approval, toolCallId = '', type } of asked) {
    const approved = part.decide()
    if (approval) await page.addToolApprovalResponse({ id: approval.id, approved })
    else
      await page.addToolResult({ tool: type.slice('tool-'.length) as never, toolCallId, output: { approved } as never })
  }
  return asked.length > 0
}

const isQuestion = (each: LoosePart, { tools }: Part): boolean =>
  each.state === 'approval-requested' ||
  (each.state === 'input-available' && !each.providerExecuted && !tools.includes(nameOf(each)))

interface LoosePart {
  readonly type: string
  readonly text?: string
  readonly toolName?: string
  readonly toolCallId?: string
  readonly state?: string
  readonly input?: unknown
  readonly output?: unknown
  readonly providerExecuted?: boolean
  readonly approval?: { readonly id: string }
}

const partsOf = ({ messages }: Page): readonly LoosePart[] =>
  messages.flatMap(({ role, parts }) => (role === 'assistant' ? (parts as readonly LoosePart[]) : []))

function viewOf(page: Page): View {
  const parts = partsOf(page)
  const calls = parts.filter(({ toolCallId }) => toolCallId !== undefined)
  const textOf = (type: string): readonly string[] =>
    parts.flatMap((part) => (part.type === type && part.text ? [part.text] : []))
  return {
    text: textOf('text').join('\n\n'),
    thoughts: textOf('reasoning').join(''),
    calls: calls.map((call) => callShown(nameOf(call), JSON.stringify(call.input), resultOf(call))),
    tokens: page.tokens,
    end: endOf(page),
  }
}

const nameOf = ({ type, toolName = type.slice('tool-'.length) }: LoosePart): string => toolName

function resultOf({ state, output }: LoosePart): string | undefined {
  if (state === 'output-available') return textIn(output)
  return state?.startsWith('output-') ? 'no' : undefined
}

interface Told {
  readonly usage?: { readonly outputTokens?: number } | null
  readonly factwire?: {
    readonly end?: { readonly exhausted?: boolean; readonly code?: string; readonly cause?: { readonly type: string } }
  }
}

const toldBy = (message: UIMessage | undefined): Told => (message?.metadata ?? {}) as Told

function endOf({ status, error, messages }: Page): string {
  const end = toldBy(messages.at(-1)).factwire?.end
  if (status === 'error' && end?.code === undefined) throw error ?? new Error('a chat that failed says why')
  if (status === 'error') return `failed ${end?.code}`
  if (end?.cause?.type === 'cancelled') return 'cancelled'
  return end?.exhausted ? 'exhausted' : end?.exhausted === false ? 'done' : 'nothing'
}
