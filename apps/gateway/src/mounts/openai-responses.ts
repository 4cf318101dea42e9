/**
 * OpenAI's Responses: a segment of a run is one response. What it follows is named by `previous_response_id`, or by a `conversation`,
 * which is a thread; without either its input is the whole conversation. A response can be read again, from a number on.
 */
import type { Fact, RunContext } from '@factwire/core'
import {
  openaiResponses,
  type OpenAiResponsesOptions,
  type ResponsesFrame,
  type ResponsesRequest,
} from '@factwire/openai-responses'
import type { Mount, Place } from '../mount.ts'

export const mount: Mount<ResponsesFrame, OpenAiResponsesOptions, ResponsesRequest> = {
  protocol: openaiResponses,
  starts: [
    {
      path: '/v1/responses',
      messageIds: 'server',
      thread: ({ threadId }) => threadId,
      follows: ({ previousResponseId }) => (previousResponseId === undefined ? undefined : runOf(previousResponseId)),
      instructions: ({ instructions }) => instructions,
      transcoder: (asked, place) => ({ ...optionsOf(asked), responseId: responseIdOf(place), resumable: true }),
      complete: (facts, run, asked, place) =>
        openaiResponses.complete(facts, run, { ...optionsOf(asked), responseId: responseIdOf(place) }),
      // The response says itself that it failed.
      failed: 200,
    },
  ],
  reads: [
    {
      path: '/v1/responses/:id',
      of: ({ param }) => ({ run: runOf(param('id') ?? '') }),
      wantsWhole: ({ query }) => query('stream') !== 'true',
      complete: (facts: readonly Fact[], run: RunContext, place: Place) =>
        openaiResponses.complete(facts, run, { responseId: responseIdOf(place) }),
      // Numbers are those of the wire, and the transcoder cuts by them.
      position: () => undefined,
      transcoder({ query }, place) {
        const after = query('starting_after')
        const startingAfter = after !== undefined && /^\d{1,15}$/.test(after) ? { startingAfter: Number(after) } : {}
        return { responseId: responseIdOf(place), resumable: true, ...startingAfter }
      },
    },
  ],
  cancels: [{ path: '/v1/responses/:id/cancel', run: ({ param }) => runOf(param('id') ?? '') }],
}

const responseIdOf = ({ runId, segment }: Place): string => `resp_${runId}${segment === 0 ? '' : `.${segment}`}`

const runOf = (responseId: string): string => responseId.replace(/^resp_/, '').replace(/\.\d+$/, '')

function optionsOf({ tools, encryptedReasoning, echo }: ResponsesRequest): OpenAiResponsesOptions {
  return { clientTools: tools.map(({ name }) => name), encryptedReasoning, echo }
}
