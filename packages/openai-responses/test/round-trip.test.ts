import { type AgentEvent, type Fact, textOf } from '@factwire/core'
import { CLIENT_TOOL, anyDisturbance, anyRun, decodeChunks, disturb, groupsOf } from '@factwire/conformance'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { framing, openaiResponses, type OpenAiResponsesOptions, transcoder } from '../src/index.ts'
import { type Item, readFinal } from './client.ts'

const seed = 20_261_130
const numRuns = Number(process.env['FACTWIRE_RUNS'] || 200)

test('what the encoder writes, the decoder reads as the official client does', async () => {
  const anyOptions = fc.record<OpenAiResponsesOptions>({
    clientTools: fc.constantFrom<readonly string[]>([], [CLIENT_TOOL]),
    reasoning: fc.boolean(),
    done: fc.boolean(),
    resumable: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(anyRun(), anyDisturbance, anyOptions, async (live, disturbance, options) => {
      const frames = groupsOf(disturb(live, disturbance, { reasoning: 'text' }), transcoder(live.run, options)).flat()
      const body = frames.map((frame) => framing.text(frame)).join('')
      const { response, error, warnings } = await readFinal(body)
      expect({ error, warnings }).toEqual({ error: undefined, warnings: [] })
      const read = decodeChunks(openaiResponses, [new TextEncoder().encode(body)])
      // Of a response that failed the client has only what was committed.
      const failure = response?.status === 'failed' ? response.error?.code : undefined
      const last = endOf(read)
      expect(last?.type === 'run_failed' ? last.code : undefined).toBe(failure)
      const items = (response?.output ?? []).flatMap(toldOf).toSorted()
      expect(failure === undefined ? told(read) : items).toEqual(items)
    }),
    { seed, numRuns },
  )
}, 3_600_000)

const facts = (events: readonly AgentEvent[]): Fact[] =>
  events.flatMap(({ tier, event }) => (tier === 'fact' ? [event] : []))

const endOf = (events: readonly AgentEvent[]): Fact | undefined => facts(events).at(-1)

function told(events: readonly AgentEvent[]): string[] {
  const waits = new Set(
    facts(events).flatMap((fact) =>
      fact.type === 'awaiting' ? (fact.pending ?? []).map(({ tool_use_id }) => tool_use_id) : [],
    ),
  )
  return facts(events)
    .flatMap((fact): string[] => {
      switch (fact.type) {
        case 'assistant_message':
          // A message that began with a call has no id of its own yet.
          return [`says ${textOf(fact.content)}`]
        case 'tool_call':
          return [
            `${fact.id} ${waits.has(fact.id) ? 'waits' : 'ran'} ${fact.name} ${fact.raw_input ?? JSON.stringify(fact.input)}`,
          ]
        case 'tool_result':
          return [`${fact.id} gave ${textOf(fact.content)}`]
        default:
          return []
      }
    })
    .toSorted()
}

function toldOf(item: Item): string[] {
  switch (item.type) {
    case 'message':
      return [`says ${item.content.map((part) => (part.type === 'output_text' ? part.text : '')).join('')}`]
    case 'function_call':
      return [`${item.call_id} waits ${item.name} ${item.arguments}`]
    case 'mcp_approval_request':
      return [`${item.id} waits ${item.name} ${item.arguments}`]
    case 'mcp_call': {
      const failure = JSON.parse(JSON.stringify(item.error ?? null)) as { content: { text: string }[] } | null
      return [
        `${item.id} ran ${item.name} ${item.arguments}`,
        `${item.id} gave ${item.output ?? failure?.content[0]?.text ?? ''}`,
      ]
    }
    default:
      return []
  }
}
