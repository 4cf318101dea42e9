import { OpenAI } from 'openai'
import type { Client } from '../client.ts'
import { responsesClient } from '../drivers/openai-responses.ts'

export const client: Client = responsesClient('openai 7, Responses, whole', 'openai', OpenAI, true)
