import { OpenAI } from 'openai'
import type { Client } from '../client.ts'
import { chatClient } from '../drivers/openai-chat.ts'

export const client: Client = chatClient('openai 7, chat, whole', 'openai', OpenAI, true)
