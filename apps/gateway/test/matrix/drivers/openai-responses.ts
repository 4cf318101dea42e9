/** Responses, as users of the openai SDK drive them: `.stream()` or `.create()`, then the answers by the id of the response that asked. */
import type { OpenAI } from 'openai'
import { callShown, type Client, type Part, textIn, WHOLE_CANNOT } from '../client.ts'
import type { View } from '../scene.ts'

type Input = OpenAI.Responses.ResponseInputItem
type Item = Input | OpenAI.Responses.ResponseOutputItem
type Response = OpenAI.Responses.Response
type Event = OpenAI.Responses.ResponseStreamEvent

export function responsesClient(name: string, from: string, Sdk: typeof OpenAI, whole = false): Client {
  const clientOf = ({ url }: Part): OpenAI => new Sdk({ apiKey: 'none', baseURL: `${url}/v1` })
  return {
    name,
    from,
    unseen: {},
    cannot: whole ? WHOLE_CANNOT : {},
    whole,
    afterCut: 'reads on',
    async play(part) {
      const client = clientOf(part)
      const thread: Item[] = []
      const all: Response[] = []
      for (const content of part.says) {
        let input: Input[] = [{ role: 'user', content }]
        while (input.length > 0) {
          const given = await (whole ? told : streamed)(client, paramsOf(part, input, all.at(-1)?.id), part)
          const { id } = given
          const response = part.reloads ? await client.responses.retrieve(id) : given
          all.push(response)
          thread.push(...input, ...response.output)
          input = response.output.flatMap((item): Input[] => answerTo(item, part))
        }
      }
      return viewOf(thread, all)
    },
    async join(part) {
      const last = await clientOf(part)
        .responses.stream({ response_id: `resp_${part.runId}` })
        .finalResponse()
      return viewOf(last.output, [last])
    },
    cancel: (part) => clientOf(part).responses.cancel(`resp_${part.runId}`),
  }
}

type Params = OpenAI.Responses.ResponseCreateParamsNonStreaming

const paramsOf = ({ model, tools }: Part, input: Input[], before: string | undefined): Params => ({
  model,
  input,
  ...(before === undefined ? {} : { previous_response_id: before }),
  tools: tools.map((name) => ({ type: 'function', name, parameters: { type: 'object' }, strict: false })),
})

const told = (client: OpenAI, asked: Params): Promise<Response> => client.responses.create(asked)

async function streamed(client: OpenAI, asked: Params, part: Part): Promise<Response> {
  const had: Event[] = []
  const stream = client.responses.stream(asked as Parameters<typeof client.responses.stream>[0])
  stream.on('event', (event) => void had.push(event))
  return stream.finalResponse().catch((reason: unknown) => {
    if (part.wasCut()) return readOn(client, had)
    throw reason
  })
}

/** From the last number on. What was said is said once. */
async function readOn(client: OpenAI, had: readonly Event[]): Promise<Response> {
  const id = had.flatMap((event) => ('response' in event ? [event.response.id] : []))[0] ?? 'none'
  const starting_after = had.at(-1)?.sequence_number ?? -1
  const rest: Event[] = []
  for await (const event of await client.responses.retrieve(id, { stream: true, starting_after })) rest.push(event)
  const [first] = rest
  if (!first || first.sequence_number <= starting_after) throw new Error(`${first?.sequence_number} is told again`)
  const last = rest.at(-1)
  if (!last || !('response' in last)) throw new Error('it ends with no response')
  const { response } = last
  const streamed = [...had, ...rest].map((event) => (event.type === 'response.output_text.delta' ? event.delta : ''))
  const whole = response.output.map((item) => (item.type === 'message' ? textOf(item) : ''))
  if (streamed.join('') !== whole.join('')) throw new Error(`${streamed.join('')} is not ${whole.join('')}`)
  return response
}

function answerTo(item: Response['output'][number], part: Part): Input[] {
  if (item.type === 'function_call')
    return [{ type: 'function_call_output', call_id: item.call_id, output: part.run(item.name) }]
  if (item.type === 'mcp_approval_request')
    return [{ type: 'mcp_approval_response', approval_request_id: item.id, approve: part.decide() }]
  return []
}

function viewOf(items: readonly Item[], all: readonly Response[]): View {
  const answers = new Map(
    items.flatMap((item) => (item.type === 'function_call_output' ? [[item.call_id, textIn(item.output)]] : [])),
  )
  return {
    text: items.flatMap((item) => (item.type === 'message' && 'id' in item ? [textOf(item)] : [])).join('\n\n'),
    thoughts: items.flatMap((item) => (item.type === 'reasoning' ? [thoughtOf(item)] : [])).join(''),
    calls: items.flatMap((item) => {
      if (item.type === 'mcp_call')
        return [callShown(item.name, item.arguments, item.error ? 'no' : (item.output ?? undefined))]
      return item.type === 'function_call' ? [callShown(item.name, item.arguments, answers.get(item.call_id))] : []
    }),
    tokens: all.reduce((sum, { usage }) => sum + (usage?.output_tokens ?? 0), 0),
    end: endOf(all.at(-1)),
  }
}

const textOf = ({ content }: OpenAI.Responses.ResponseOutputMessage): string =>
  content.map((each) => (each.type === 'output_text' ? each.text : '')).join('')

const thoughtOf = ({ content, summary }: OpenAI.Responses.ResponseReasoningItem): string =>
  [...(content ?? []), ...summary].map(({ text }) => text).join('')

function endOf(response: Response | undefined): string {
  switch (response?.status) {
    case 'completed':
      return 'done'
    case 'incomplete':
      return 'exhausted'
    case 'failed':
      return `failed ${response.error?.code}`
    default:
      return response?.status ?? 'nothing'
  }
}
