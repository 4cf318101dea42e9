/**
 * What an AG-UI stream may say and when, as the official client of 1.0 enforces it, and what we demand beyond that.
 *
 * It does not follow whose a call is that names no subagent and a message of one, nor chunks that go on in the lane of a subagent
 * without naming it.
 */
import type { Grammar } from '@factwire/core'
import { machines } from './machines.ts'
import { moves } from './moves.ts'
import { rules } from './rules.ts'
import type { AgUiEvent } from './wire.ts'

export const grammar: Grammar<AgUiEvent> = { machines, rules, moves }
