/**
 * OpenAI's Responses: a segment of a run is one response. What it follows is named by `previous_response_id`, or by a `conversation`,
 * which is a thread; without either its input is the whole conversation. A response can be read again, from a number on.
 */
import { type Fact, isObject, type Json, type JsonObject, type RunContext } from '@factwire/core'
import {
  openaiResponses,
  type OpenAiResponsesOptions,
  type ResponsesFrame,
  type ResponsesRequest,
} from '@factwire/openai-responses'
import type { Mount, Place } from '../mount.ts'
import { Refused } from '../refused.ts'

export const mount: Mount<ResponsesFrame, OpenAiResponsesOptions, ResponsesRequest> = {
  protocol: openaiResponses,
  starts: [
    {
      path: '/v1/responses',
      messageIds: 'server',
      thread: ({ threadId }) => threadId,
      follows: (asked) => followed(asked),
      instructions: ({ instructions }) => instructions,
      transcoder: (asked, place) => optionsOf(keptOf(asked), place),
      kept: (asked) => keptOf(asked),
      complete: (facts, run, asked, place) => openaiResponses.complete(facts, run, optionsOf(keptOf(asked), place)),
      // The response says itself that it failed.
      failed: 200,
    },
  ],
  reads: [
    {
      path: '/v1/responses/:id',
      of: ({ param }) => ({ run: runOf(param('id') ?? '') }),
      wantsWhole: ({ query }) => query('stream') !== 'true',
      segment: ({ param }) => segmentIn(param('id') ?? ''),
      complete: (facts: readonly Fact[], run: RunContext, place: Place, kept) =>
        openaiResponses.complete(facts, run, optionsOf(kept, place)),
      // Numbers are those of the wire, and the transcoder cuts by them.
      position: () => undefined,
      transcoder({ query }, place, kept) {
        const after = query('starting_after')
        if (after !== undefined && !/^\d{1,15}$/.test(after))
          throw new Refused(400, 'invalid_value', 'starting_after: expected a whole number')
        const startingAfter = after === undefined ? {} : { startingAfter: Number(after) }
        return { ...optionsOf(kept, place), ...startingAfter }
      },
    },
  ],
  cancels: [
    {
      path: '/v1/responses/:id/cancel',
      run: ({ param }) => runOf(param('id') ?? ''),
      segment: ({ param }) => segmentIn(param('id') ?? ''),
      complete: (facts, run, place, kept) => openaiResponses.complete(facts, run, optionsOf(kept, place)),
    },
  ],
}

const responseIdOf = ({ runId, segment }: Place): string => `resp_${runId}${segment === 0 ? '' : `.${segment}`}`

const runOf = (responseId: string): string => responseId.replace(/^resp_/, '').replace(/\.\d+$/, '')

const segmentIn = (responseId: string): number => Number(/\.(\d{1,9})$/.exec(responseId)?.[1] ?? 0)

/** @throws Refused where it is asked for what is not there, or follows two things. */
function followed({ previousResponseId, threadId, rest }: ResponsesRequest): string | undefined {
  if (rest['background'] === true)
    throw new Refused(400, 'unsupported_value', 'background: not served here; stream the response, or wait for it')
  if (previousResponseId === undefined) return undefined
  if (threadId !== undefined)
    throw new Refused(400, 'invalid_value', 'previous_response_id: cannot be used together with conversation')
  return runOf(previousResponseId)
}

/** What shapes the answer, and is in no fact. */
const keptOf = ({ tools, encryptedReasoning, echo }: ResponsesRequest): JsonObject => ({
  clientTools: tools.map(({ name }) => name),
  encryptedReasoning,
  echo,
})

function optionsOf(kept: Json | undefined, place: Place): OpenAiResponsesOptions {
  const { clientTools, encryptedReasoning, echo } = isObject(kept) ? kept : {}
  return {
    clientTools: Array.isArray(clientTools) ? clientTools.filter((name) => typeof name === 'string') : [],
    encryptedReasoning: encryptedReasoning === true,
    ...(isObject(echo) ? { echo } : {}),
    responseId: responseIdOf(place),
    resumable: true,
  }
}
