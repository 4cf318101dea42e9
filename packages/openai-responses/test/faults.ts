/** Faults that only a server of this wire can have, each as its clients met it. */
import { type Fault, type Tampering, tampered, withTranscoder } from '@factwire/conformance'
import { isObject } from '@factwire/core'

const fault = (name: string, law: string, tamper: () => Tampering): Fault => ({
  name,
  law,
  sabotage: (subject) => tampered(subject, tamper),
})

type Fields = { readonly [key: string]: unknown }

const changed = (name: string, law: string, change: (frame: Fields) => unknown): Fault =>
  fault(name, law, () => ({ frames: (frames) => frames.map((frame) => (isObject(frame) ? change(frame) : frame)) }))

const without = (name: string, law: string, ...types: readonly string[]): Fault =>
  fault(name, law, () => ({
    frames: (frames) => frames.filter((frame) => !isObject(frame) || !types.includes(String(frame['type']))),
  }))

const withResponse = (frame: Fields, change: (response: Fields) => Fields): Fields =>
  isObject(frame['response']) ? { ...frame, response: change(frame['response']) } : frame

export const faults: readonly Fault[] = [
  {
    name: 'who joins is told that the agent runs every call',
    law: 'join',
    sabotage: (subject) =>
      withTranscoder(subject, (run, options, joined) =>
        subject.protocol.transcoder(
          run,
          options,
          joined && { ...joined, committed: { ...joined.committed, dispositions: [] } },
        ),
      ),
  },
  without('items are never begun', 'well formed', 'response.output_item.added'),
  without('parts are never begun', 'well formed', 'response.content_part.added'),
  without('items are never done', 'well formed', 'response.output_item.done'),
  without('the whole text is never told', 'well formed', 'response.output_text.done'),
  changed('an executed call looks like the client’s to run', 'shows the truth', (frame) => {
    const { item } = frame
    if (!isObject(item) || item['type'] !== 'mcp_call') return frame
    return { ...frame, item: { ...item, type: 'function_call', call_id: item['id'] } }
  }),
  changed('the completed response is empty', 'shows the truth', (frame) =>
    frame['type'] === 'response.completed' ? withResponse(frame, (response) => ({ ...response, output: [] })) : frame,
  ),
  changed('an incomplete response looks complete', 'shows the truth', (frame) =>
    withResponse(frame, (response) =>
      response['status'] === 'incomplete' ? { ...response, status: 'completed', incomplete_details: null } : response,
    ),
  ),
  fault('the response has another id each time', 'well formed', () => {
    let count = 0
    return {
      frames: (frames) =>
        frames.map((frame) =>
          isObject(frame) ? withResponse(frame, (response) => ({ ...response, id: `resp_${count++}` })) : frame,
        ),
    }
  }),
]
