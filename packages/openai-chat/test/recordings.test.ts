import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withShared } from '../../../testing/shared.ts'
import { bodyOf, type Called, type Outcome, outcomeOf } from './streams.ts'

interface Expected {
  readonly error: string | null
  readonly choices: { readonly [index: string]: ExpectedChoice }
  readonly usage: ExpectedUsage | null
}
interface ExpectedChoice {
  readonly text: ExpectedText
  readonly reasoning: ExpectedText
  readonly refusal?: string
  readonly toolCalls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[]
  readonly finishReason: string | null
}
interface ExpectedText {
  readonly value?: string
  readonly length?: number
  readonly sha256_16?: string
  readonly head?: string
  readonly tail?: string
}
interface ExpectedUsage {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly total_tokens: number
  readonly reasoning_tokens?: number
  readonly cached_tokens?: number
}

withShared('recordings/openai-chat', (folder) => {
  const expected = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as { [file: string]: Expected }

  test.each(Object.entries(expected))('decodes the recording %s', async (file, { error, choices, usage }) => {
    const outcome = await outcomeOf(bodyOf(join(folder, file)))
    const [choice] = Object.values(choices)
    if (!choice) throw new Error('nothing expected')
    // A refusal is what the assistant says; that it refused is the end's to say.
    expect(likeText(outcome.text, choice.refusal ? {} : choice.text)).toEqual(
      choice.refusal ? { value: choice.refusal } : choice.text,
    )
    expect(likeText(outcome.reasoning, choice.reasoning)).toEqual(choice.reasoning)
    expect(outcome.calls.map(likeCall)).toEqual(choice.toolCalls)
    expect(outcome.error?.message).toBe(error ?? undefined)
    expect(outcome.finish).toBe(error ? 'error' : choice.refusal ? 'content_filter' : (choice.finishReason ?? 'stop'))
    expect(likeUsage(outcome, usage)).toEqual(usage)
  })
})

/** Long texts are expected by their hash. */
function likeText(text: string, { length, head, tail }: ExpectedText): ExpectedText {
  if (length === undefined) return { value: text }
  return {
    length: text.length,
    sha256_16: createHash('sha256').update(text).digest('hex').slice(0, 16),
    head: text.slice(0, head?.length),
    tail: text.slice(-(tail?.length ?? 0)),
  }
}

function likeCall({ id, name, input, raw }: Called): object {
  return { id, name, arguments: raw ?? JSON.stringify(input) }
}

/** Completion includes thinking for us, not for every provider; the sum tells. */
function likeUsage({ usage }: Outcome, expected: ExpectedUsage | null): ExpectedUsage | null {
  if (!usage) return null
  const {
    prompt_tokens: prompt = 0,
    completion_tokens: completion = 0,
    total_tokens: total = 0,
    thinking_tokens: thinking,
  } = usage
  const excluded = prompt + completion - (expected?.prompt_tokens ?? 0) - (expected?.completion_tokens ?? 0)
  if (excluded !== 0 && excluded !== thinking) throw new Error(`${excluded} tokens too many`)
  if (prompt + completion !== total) throw new Error('the counts are not the sum')
  return {
    prompt_tokens: prompt,
    completion_tokens: completion - excluded,
    total_tokens: total,
    ...(thinking === undefined ? {} : { reasoning_tokens: thinking }),
    ...(usage.cache_read_tokens === undefined ? {} : { cached_tokens: usage.cache_read_tokens }),
  }
}
