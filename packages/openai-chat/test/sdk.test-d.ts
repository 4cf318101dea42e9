import { history } from '@factwire/openai-chat'
import type OpenAI from 'openai'
import type OpenAI6 from 'openai-6'
import { expectTypeOf, test } from 'vitest'

test('the thread can be handed to the SDK as it is', () => {
  expectTypeOf(history).returns.toExtend<OpenAI.ChatCompletionMessageParam[]>()
  expectTypeOf(history).returns.toExtend<OpenAI6.ChatCompletionMessageParam[]>()
})
