import * as sdk from 'ai-5'
import type { Client } from '../client.ts'
import { pageClient, type Sdk } from '../drivers/ai-sdk.ts'

export const client: Client = pageClient('ai 5', 'ai-5', sdk as unknown as Sdk, 'v5')
