/** Neutral events in, one sentence about all of them out: how it ended, and how much of what there was. */
import type { AgentEvent, RunContext, TokenUsage } from '@factwire/core'
import type { Colors } from './colors.ts'
import { describeEnd, describeUsage } from './describe.ts'
import { addTokens } from './tokens.ts'
import { visible } from './visible.ts'

export interface Summary {
  add(event: AgentEvent): void
  line(run: Partial<RunContext>, colors: Colors): string
}

type Ending = { readonly word: 'finished' | 'awaiting' | 'failed' | 'without an end'; readonly why: string }

export function summary(): Summary {
  let ending: Ending = { word: 'without an end', why: '' }
  let facts = 0
  let deltas = 0
  let messages = 0
  let calls = 0
  let usage: TokenUsage | undefined

  return {
    add({ tier, event }) {
      if (tier === 'delta') {
        deltas++
        return
      }
      facts++
      switch (event.type) {
        case 'assistant_message':
          messages++
          break
        case 'tool_call':
          calls++
          break
        case 'inference_completed':
          if (event.usage) usage = addTokens(usage, event.usage)
          break
        case 'awaiting':
          ending = { word: 'awaiting', why: event.pending_tool_use_id ?? '' }
          break
        case 'run_finished':
          ending = { word: 'finished', why: describeEnd(event) }
          break
        case 'run_failed':
          ending = { word: 'failed', why: event.code }
          break
        case 'run_started':
          ending = { word: 'without an end', why: '' }
          break
        default:
      }
    },
    line({ runId, threadId, model }, colors) {
      const names = [runId && `run ${runId}`, threadId && `thread ${threadId}`, model && `model ${model}`].filter(
        Boolean,
      )
      const counts = [
        `${counted(facts + deltas, 'event')}: ${counted(facts, 'fact')}, ${counted(deltas, 'delta')}`,
        `${counted(messages, 'message')}, ${counted(calls, 'call')}`,
        usage && describeUsage(usage),
      ].filter(Boolean)
      const how = `${ending.word}${ending.why && ` (${ending.why})`}`
      const about = names.length > 0 ? `; ${names.join(', ')}` : ''
      return `${colors.bold(PAINT[ending.word](colors)(visible(how)))}; ${counts.join('; ')}${visible(about)}`
    },
  }
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

const PAINT = {
  finished: ({ green }: Colors) => green,
  awaiting: ({ yellow }: Colors) => yellow,
  failed: ({ red }: Colors) => red,
  'without an end': ({ red }: Colors) => red,
}
