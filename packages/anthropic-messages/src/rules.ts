/**
 * The rules of a Messages stream. `rejected`: the official client gives the stream up. It complains of nothing: what it takes although it
 * is wrong, it loses, so every other rule is ours.
 */
import type { Rule, RuleForce } from '@factwire/core'

const rule = (force: RuleForce, says: string, see: string): Rule => ({ says, force, see })

/** The description of the wire. */
const API = 'https://platform.claude.com/docs/en/build-with-claude/streaming'
/** Files of the source that is published with the client. */
const STREAM = '@anthropic-ai/sdk 1.14.0, src/lib/MessageStream.ts'
const WIRE = '@anthropic-ai/sdk 1.14.0, src/core/streaming.ts'

export const rules: Readonly<Record<string, Rule>> = {
  'start-missing': rule('rejected', 'A stream is a message or an error.', `${STREAM}: #endRequest`),
  'start-first': rule('demanded', 'The first event is the start of the message.', `${STREAM}: #accumulateMessage`),
  'start-once': rule('rejected', 'A stream is one message.', `${STREAM}: #accumulateMessage`),
  'block-begun': rule('rejected', 'No delta comes before the first block.', `${STREAM}: #addStreamEvent`),
  'block-open': rule('demanded', 'Deltas and ends are of a block that is open.', `${STREAM}: #accumulateMessage`),
  'blocks-in-order': rule(
    'demanded',
    'Blocks begin in the order of their indices, from 0 and without gaps.',
    `${STREAM}: #accumulateMessage`,
  ),
  'blocks-in-turn': rule('demanded', 'A block is closed before the next one begins.', `${API}#event-types`),
  'delta-fits': rule('demanded', 'A delta is of the kind of its block.', `${STREAM}: #accumulateMessage`),
  'delta-missing': rule('demanded', 'A message says why it stops before it does.', `${API}#event-types`),
  'delta-once': rule('demanded', 'A message says once why it stops.', `${API}#event-types`),
  'delta-last': rule(
    'demanded',
    'No block is open or begins once the message says why it stops.',
    `${API}#event-types`,
  ),
  'stop-missing': rule('rejected', 'A message that did not fail has its end.', `${STREAM}: #getFinalMessage`),
  'nothing-after': rule('demanded', 'Nothing comes after the end or an error.', `${WIRE}: fromSSEResponse`),
  'reason-fits': rule(
    'demanded',
    'A message stops with tool_use where it has calls for the client, and nowhere else, unless it was cut.',
    `${API}#event-types`,
  ),
  'call-ids-differ': rule('demanded', 'No two calls of a kind have the same id.', `${API}#content-block-delta-types`),
  'result-of-call': rule(
    'demanded',
    'A result is of a call before it, and each call has one at most.',
    'https://platform.claude.com/docs/en/agents-and-tools/mcp-connector',
  ),
  'call-answered': rule(
    'demanded',
    'A call of a server has its result before the message ends, unless it waits for the client.',
    'https://platform.claude.com/docs/en/agents-and-tools/mcp-connector',
  ),
}
