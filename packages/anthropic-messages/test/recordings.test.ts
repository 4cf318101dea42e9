import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withShared } from '../../../testing/shared.ts'
import { CLIENTS, type ClientBlock, readFinal, told } from './client.ts'
import { factOf, factsOf } from './streams.ts'

/** Events that were kept one a line, framed again. */
function bodyOf(path: string): string {
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines
    .filter((line) => line.trim() !== '')
    .map((line) => `event: ${(JSON.parse(line) as { type: string }).type}\ndata: ${line}\n\n`)
    .join('')
}

withShared('recordings/anthropic-messages', (folder) => {
  const files = readdirSync(folder).filter((file) => file.endsWith('.txt'))
  test.each(files.flatMap((file) => CLIENTS.map((kind) => [file, told(kind), kind] as const)))(
    'reads the recording %s as %s does',
    async (file, _name, kind) => {
      const body = bodyOf(join(folder, file))
      const { content, stopReason, usage, id, model, error } = await readFinal(body, kind)
      expect(error).toBeUndefined()
      const facts = factsOf(body)
      const joined = (part: (block: ClientBlock) => string | undefined): string =>
        content.map((block) => part(block) ?? '').join('')

      const messages = facts.filter((fact) => fact.type === 'assistant_message')
      expect(
        messages
          .flatMap((fact) => fact.content)
          .map((block) => ('text' in block ? block.text : ''))
          .join(''),
      ).toBe(joined(({ text }) => text))
      expect(messages[0]?.id).toBe(id)
      const thought = factOf(facts, 'assistant_thinking')
      expect(thought?.text ?? '').toBe(joined(({ thinking }) => thinking))
      expect(thought?.signature ?? '').toBe(joined(({ signature }) => signature))
      expect(facts.flatMap((fact) => (fact.type === 'tool_call' ? [[fact.id, fact.name, fact.input]] : []))).toEqual(
        content.flatMap((block) => (block.type.endsWith('tool_use') ? [[block.id, block.name, block.input]] : [])),
      )
      expect(
        facts.flatMap((fact) =>
          fact.type === 'tool_result' ? [{ tool_use_id: fact.id, ...(fact.data as Record<string, unknown>) }] : [],
        ),
      ).toEqual(
        content.flatMap(({ type, tool_use_id, content: result }) =>
          type.endsWith('tool_result') ? [{ type, tool_use_id, content: result }] : [],
        ),
      )
      expect(facts.at(-1)?.type).toBe(stopReason === 'tool_use' ? 'awaiting' : 'run_finished')
      const counts = usage as { input_tokens: number; output_tokens: number; cache_read_input_tokens?: number }
      expect(factOf(facts, 'inference_completed')).toMatchObject({
        model,
        usage: {
          prompt_tokens: counts.input_tokens + (counts.cache_read_input_tokens ?? 0),
          completion_tokens: counts.output_tokens,
        },
      })
    },
  )
})
