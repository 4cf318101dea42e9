import type { Anthropic } from '@anthropic-ai/sdk'
import { complete, history, type MessagesAnswer } from '@factwire/anthropic-messages'
import type { Anthropic as Anthropic0137 } from 'anthropic-sdk-0.137'
import { expectTypeOf, test } from 'vitest'

test('the thread can be handed to the SDK as it is', () => {
  expectTypeOf(history).returns.toExtend<Pick<Anthropic.MessageCreateParams, 'messages' | 'system'>>()
  expectTypeOf(history).returns.toExtend<Pick<Anthropic0137.MessageCreateParams, 'messages' | 'system'>>()
})

test('a whole answer is told from an error by its type', () => {
  expectTypeOf(complete).returns.extract<{ readonly type: 'message' }>().toEqualTypeOf<MessagesAnswer>()
})
