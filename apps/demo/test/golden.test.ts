import { afterAll, beforeAll, expect, test } from 'vitest'
import { listen, shut } from '../src/loopback.ts'
import { provider } from '../src/provider.ts'
import { relay } from '../src/relay.ts'
import { answerOf, runOf } from '../src/run.ts'
import { wires } from '../src/wires.ts'

const model = provider()
let modelUrl = ''

beforeAll(async () => {
  modelUrl = `${await listen(model)}/v1/chat/completions`
})
afterAll(() => shut(model))

/** What comes over the network, up to where it breaks. */
async function received(url: string): Promise<string> {
  const chunks: Uint8Array[] = []
  const { body } = await fetch(url, { method: 'POST' })
  try {
    for await (const chunk of body ?? []) chunks.push(chunk)
  } catch {
    // What was received until then is compared, and tells a break that was not meant.
  }
  return Buffer.concat(chunks).toString()
}

const answers = [
  { answer: 'whole', query: '' },
  { answer: 'cut', query: '?cut' },
]

test.each(answers)('the provider sends the $answer answer as recorded', async ({ answer, query }) => {
  await expect(await received(modelUrl + query)).toMatchFileSnapshot(`../golden/${answer}.provider.wire`)
})

test.each(answers.flatMap((answer) => wires.map((wire) => ({ ...answer, ...wire }))))(
  'the $answer answer leaves as recorded on the wire $name',
  async ({ answer, query, name, base }) => {
    const server = relay(runOf(answerOf(modelUrl + query), () => 1))
    const url = await listen(server)
    await expect(await received(url + base)).toMatchFileSnapshot(`../golden/${answer}.${name}.wire`)
    shut(server)
  },
)
