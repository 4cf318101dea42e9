/** This loop, as its README has it. */
import { type Message, textOf } from '@factwire/core'
import { history, openaiChat } from '@factwire/openai-chat'
import { agent, askable, type Clock } from '@factwire/runtime'
import { readSse } from '@factwire/sse'
import { memoryStore } from '../../../../packages/runtime/test/store.ts'
import { type Loop, nextOf, settled, trace } from './row.ts'

const said = (text: string): Message => ({ id: text, role: 'user', content: [{ type: 'text', text }] })

export const ours =
  (clock: Clock & { next(): boolean }): Loop =>
  async (scene, { requests }, fetch) => {
    const { ran, lookUp } = trace()
    const { run } = agent({
      model: {
        wire: openaiChat,
        messages: readSse,
        request: ({ messages }) => ({
          url: 'http://provider.test/chat/completions',
          body: { model: scene, stream: true, messages: history({ messages }) },
        }),
      },
      fetch,
      clock,
      tools: [
        { name: 'look_up', run: (input) => lookUp((input as { city: string }).city) },
        {
          name: 'fail',
          run() {
            throw new Error('disk full')
          },
        },
        { name: 'hang', run: () => new Promise<void>(() => undefined) },
        { name: 'now', run: () => 'noon' },
      ],
    })
    const store = memoryStore()
    const thread = { messages: [], standing: { openCalls: [] } }
    const over = run({ threadId: 't', runId: 'r', thread, messages: [said('Go.')], output: store }).over
    const state = await settled(over, () => clock.next())
    const last = store.facts().at(-1)
    const end =
      state === 'hangs'
        ? 'never'
        : last?.type === 'run_failed'
          ? `failed: ${last.code}`
          : last?.type === 'run_finished'
            ? (last.cause?.type ?? '')
            : (last?.type ?? '')
    const { messages } = store.thread()
    return {
      text: messages.flatMap(({ role, content }) => (role === 'assistant' ? [textOf(content)] : [])).join(' | '),
      end,
      ran,
      requests: requests.length,
      kept: messages
        .slice(1)
        .map(({ role }) => role)
        .join(' '),
      next: nextOf(history({ messages: askable([...messages, said('And now?')]) })),
    }
  }
