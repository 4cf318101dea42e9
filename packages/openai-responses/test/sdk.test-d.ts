import { history, type openaiResponses } from '@factwire/openai-responses'
import type OpenAI from 'openai'
import type OpenAI6 from 'openai-6'
import { expectTypeOf, test } from 'vitest'

test('the thread can be handed to the SDK as it is', () => {
  expectTypeOf(history).returns.toExtend<OpenAI.Responses.ResponseInput>()
  expectTypeOf(history).returns.toExtend<OpenAI6.Responses.ResponseInput>()
})

test('an answer has the fields of a response', () => {
  type Answer = ReturnType<typeof openaiResponses.complete>
  expectTypeOf<Pick<Answer, 'id' | 'object' | 'created_at' | 'model'>>().toExtend<
    Pick<OpenAI.Responses.Response, 'id' | 'object' | 'created_at' | 'model'>
  >()
  expectTypeOf<Answer['usage']>().toExtend<OpenAI.Responses.ResponseUsage | null>()
})
