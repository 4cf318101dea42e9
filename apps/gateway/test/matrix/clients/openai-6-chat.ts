import { OpenAI } from 'openai-6'
import type { Client } from '../client.ts'
import { chatClient } from '../drivers/openai-chat.ts'

export const client: Client = chatClient(
  'openai 6, chat',
  'openai-6',
  OpenAI as unknown as Parameters<typeof chatClient>[2],
)
