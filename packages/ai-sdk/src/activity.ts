/** Activities are shown beside the conversation, so they are told and not kept. */
import type { Activity } from '@factwire/core'
import { aside, type DataChunk } from './wire.ts'

export function activityAside({ message_id, activity_type, content, replace }: Activity): DataChunk {
  return aside('activity', { message_id, activity_type, content, ...(replace === undefined ? {} : { replace }) })
}
