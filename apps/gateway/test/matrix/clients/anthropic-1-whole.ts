import { Anthropic } from '@anthropic-ai/sdk'
import type { Client } from '../client.ts'
import { messagesClient } from '../drivers/anthropic-messages.ts'

export const client: Client = messagesClient(
  '@anthropic-ai/sdk 1, messages, whole',
  '@anthropic-ai/sdk',
  Anthropic,
  'messages',
  true,
)
