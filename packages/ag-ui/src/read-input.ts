/** The body of a request of unknown origin, from a client of any version. */
import { anyJson, arrayOf, lenient, oneOf, optional, otherwise, type Read, record, string } from '@factwire/core'
import { messages } from './read-message.ts'
import { metadata } from './read-metadata.ts'
import type { ContextItem, ResumeEntry, RunAgentInput, Tool } from './wire-run.ts'

const tool: Read<Tool> = record<Tool>({
  name: string,
  description: otherwise(string, ''),
  parameters: optional(anyJson),
  metadata: lenient(metadata),
})

const resume: Read<ResumeEntry> = record<ResumeEntry>({
  interruptId: string,
  status: oneOf('resolved', 'cancelled'),
  payload: optional(anyJson),
  metadata: lenient(metadata),
})

export const input: Read<RunAgentInput> = record<RunAgentInput>({
  threadId: string,
  runId: string,
  protocolVersion: lenient(string),
  parentRunId: optional(string),
  state: optional(anyJson),
  messages,
  tools: optional(arrayOf(tool)),
  context: optional(arrayOf(record<ContextItem>({ description: string, value: string }))),
  forwardedProps: optional(anyJson),
  resume: optional(arrayOf(resume)),
})
