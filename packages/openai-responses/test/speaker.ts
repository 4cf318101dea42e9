/** A provider of responses, for the torture of a decoder. */
import type { Speaker, SpokenCall } from '@factwire/conformance'

export function speaker(): Speaker {
  let number = 0
  let items = 0
  let said: { readonly index: number; text: string } | undefined
  let usage: object | null = null
  const calls = new Map<number, { readonly index: number; readonly item: object; args: string }>()

  const message = (type: string, fields: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: number++, ...fields })}\n\n`
  const response = (status: string, more: object = {}): object => ({
    response: { id: 'resp_1', object: 'response', created_at: 1, model: 'm', status, output: [], usage, ...more },
  })
  const part = (text: string): object => ({ type: 'output_text', text, annotations: [] })
  const place = (index: number): object => ({ item_id: `item_${index}`, output_index: index })

  function begin(item: object): { readonly index: number; readonly text: string } {
    const index = items++
    return { index, text: message('response.output_item.added', { output_index: index, item }) }
  }

  function speak(piece: string): string {
    let before = ''
    if (!said) {
      const { index, text } = begin({ id: `item_${items}`, type: 'message', role: 'assistant', content: [] })
      said = { index, text: '' }
      before = text + message('response.content_part.added', { ...place(index), content_index: 0, part: part('') })
    }
    said.text += piece
    return before + message('response.output_text.delta', { ...place(said.index), content_index: 0, delta: piece })
  }

  function endItems(): string {
    let text = ''
    if (said) {
      const content = [part(said.text)]
      const item = { id: `item_${said.index}`, type: 'message', role: 'assistant', status: 'completed', content }
      text += message('response.output_text.done', { ...place(said.index), content_index: 0, text: said.text })
      text += message('response.output_item.done', { output_index: said.index, item })
    }
    for (const { index, item, args } of calls.values()) {
      text += message('response.function_call_arguments.done', { ...place(index), arguments: args })
      text += message('response.output_item.done', { output_index: index, item: { ...item, arguments: args } })
    }
    return text
  }

  function call({ index, id, name }: SpokenCall): string | undefined {
    // The official client wants every call to have an id; a call whose name comes later is no call of this wire.
    if (id === undefined) return undefined
    const again = calls.get(index)
    if (again) return message('response.output_item.added', { output_index: again.index, item: again.item })
    const item = { id: `item_${items}`, type: 'function_call', call_id: id, name, arguments: '' }
    const begun = begin(item)
    calls.set(index, { index: begun.index, item, args: '' })
    return begun.text
  }

  return {
    finishEnds: true,
    start: () =>
      message('response.created', response('in_progress')) + message('response.in_progress', response('in_progress')),
    text: speak,
    call,
    args({ index }, piece) {
      const told = calls.get(index)
      if (!told) return undefined
      told.args += piece
      return message('response.function_call_arguments.delta', { ...place(told.index), delta: piece })
    },
    finish(reason) {
      // Whether there are calls to run is said by the calls alone.
      if (reason !== 'length' && (reason === 'calls') !== calls.size > 0) return undefined
      if (reason === 'length') {
        const incomplete_details = { reason: 'max_output_tokens' }
        return message('response.incomplete', response('incomplete', { incomplete_details }))
      }
      return endItems() + message('response.completed', response('completed'))
    },
    usage({ prompt, completion }) {
      usage = { input_tokens: prompt, output_tokens: completion, total_tokens: prompt + completion }
      return ''
    },
    error: (error, beside) =>
      beside === undefined ? message('response.failed', response('failed', { error })) : undefined,
    keepAlive: () => message('keepalive', {}),
    done: () => undefined,
  }
}
