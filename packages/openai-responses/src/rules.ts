/**
 * The rules of a response's stream. `rejected`: the official client, version 7, gives the stream up in `responses.stream()`; version 6
 * is laxer. It complains of nothing, so every other rule is ours.
 */
import type { Rule, RuleForce } from '@factwire/core'

const rule = (force: RuleForce, says: string, see: string): Rule => ({ says, force, see })

/** The description of the wire, by the names of its events. */
const API = 'https://platform.openai.com/docs/api-reference/responses-streaming'
/** Files of the source that is published with the client. */
const STREAM = 'openai 7.59.0, src/lib/responses/ResponseStream.ts'
const ACCUMULATOR = 'openai 7.59.0, src/internal/responses/response-accumulator.ts'

export const rules: Readonly<Record<string, Rule>> = {
  'answer-missing': rule('rejected', 'A stream has events.', `${STREAM}: #endRequest`),
  'created-first': rule(
    'rejected',
    'The first event creates the response.',
    `${ACCUMULATOR}: accumulateResponseWithContext`,
  ),
  'created-once': rule('demanded', 'A response is created once.', `${API} (response.created)`),
  'one-response': rule('rejected', 'All events of the response itself have its id.', `${STREAM}: #prepareEvent`),
  'whole-response': rule('rejected', 'An event of the response itself holds the response.', `${STREAM}: #prepareEvent`),
  'event-known': rule('rejected', 'No event has a type of its own.', `${ACCUMULATOR}: sanitizeResponseEvent`),
  'end-told': rule(
    'demanded',
    'A stream ends with the end of its response, or with an error.',
    `${API} (response.completed)`,
  ),
  'end-last': rule('demanded', 'Nothing but the end mark comes after the end.', `${API} (response.completed)`),

  'item-named': rule('rejected', 'An item has a type and an id.', `${ACCUMULATOR}: getOutputItemIdentityKeys`),
  'index-once': rule('rejected', 'An index is the index of one item.', `${STREAM}: #prepareOutputEvent`),
  'ids-differ': rule(
    'rejected',
    'No two items have the same id.',
    `${ACCUMULATOR}: assertOutputItemIdentitiesAvailable`,
  ),
  'item-begun': rule(
    'rejected',
    'An item is added before anything is said of it, and keeps its index, type and id.',
    `${ACCUMULATOR}: validateOutputItemIdentity`,
  ),
  'item-done': rule(
    'demanded',
    'An item is done before the response ends, but a function call that nobody is to run.',
    `${API} (response.output_item.done)`,
  ),
  'item-done-once': rule('demanded', 'An item is done once.', `${API} (response.output_item.done)`),
  'item-left': rule(
    'rejected',
    'A completed response holds every item that is not done.',
    `${STREAM}: #assertComplete`,
  ),
  'output-in-place': rule(
    'rejected',
    'An item that was never added does not stand in the place of one that was.',
    `${STREAM}: #recordOutput`,
  ),

  'part-begun': rule('rejected', 'A part is added before anything is said in it.', `${ACCUMULATOR}: getContent`),
  'part-once': rule('rejected', 'A part is added once.', `${ACCUMULATOR}: validateArrayAppend`),
  'part-over': rule(
    'demanded',
    'Nothing is said in a part, or in arguments, after their whole text.',
    `${API} (response.output_text.done)`,
  ),
  'part-done': rule(
    'demanded',
    'A part is begun, has its whole text told, and is done, before its item is.',
    `${API} (response.content_part.done)`,
  ),
  'arguments-told': rule(
    'demanded',
    'The whole arguments of a call are told before its item is done.',
    `${API} (response.function_call_arguments.done)`,
  ),
}
