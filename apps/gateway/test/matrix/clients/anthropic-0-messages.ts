import { Anthropic } from 'anthropic-sdk-0.137'
import type { Client } from '../client.ts'
import { messagesClient } from '../drivers/anthropic-messages.ts'

export const client: Client = messagesClient(
  '@anthropic-ai/sdk 0.137, messages',
  'anthropic-sdk-0.137',
  Anthropic as unknown as Parameters<typeof messagesClient>[2],
  'messages',
)
