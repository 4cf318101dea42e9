import * as sdk from 'ai'
import type { Client } from '../client.ts'
import { pageClient } from '../drivers/ai-sdk.ts'

export const client: Client = pageClient('ai 6', 'ai', sdk, 'v6')
