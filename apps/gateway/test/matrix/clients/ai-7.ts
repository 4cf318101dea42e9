import * as sdk from 'ai-7'
import type { Client } from '../client.ts'
import { pageClient, type Sdk } from '../drivers/ai-sdk.ts'

export const client: Client = pageClient('ai 7', 'ai-7', sdk as unknown as Sdk, 'v7')
