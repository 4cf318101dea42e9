import { OpenAI } from 'openai-6'
import type { Client } from '../client.ts'
import { responsesClient } from '../drivers/openai-responses.ts'

export const client: Client = responsesClient(
  'openai 6, Responses',
  'openai-6',
  OpenAI as unknown as Parameters<typeof responsesClient>[2],
)
