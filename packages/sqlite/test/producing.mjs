// A process that produces runs until it is killed: it prints what was acknowledged, and what its readers were given.
import { writeSync } from 'node:fs'
import { runWriter } from '@factwire/core'
import { createHub } from '@factwire/hub'
import { sse } from '@factwire/sse'
import { sqliteStore } from '../dist/index.js'

const [file, name] = process.argv.slice(2)
const store = await sqliteStore(file)
const hub = createHub({ store, owner: name, limits: { reserveBlock: 16 } })
const print = (...words) => writeSync(1, `${words.join(' ')}\n`)

async function produce(runId) {
  const producer = await hub.produce({ threadId: 'thread-1', runId })
  const attached = await hub.attach(runId, sse)
  attached.pipe({ write: (bytes) => print('read', runId, Buffer.from(bytes).toString('base64')), end: () => undefined })
  const writer = runWriter({ runId })
  const say = async (written) => {
    await producer.write(written)
    if (written.commit) print('ack', runId, written.commit.messages.length)
    await new Promise((resolve) => setImmediate(resolve))
  }
  for (let step = 0; step < 4; step++) {
    for (let word = 0; word < 8; word++) await say(writer.text(`word ${word} of ${step} `))
    await say(writer.toolCall(`call-${step}`, 'look', '{"n":'))
    await say(writer.toolCall(`call-${step}`, '', `${step}}`))
    await say(writer.commit())
    if (await store.journal.claim(runId, `call-${step}`)) print('claim', runId, `call-${step}`)
    await store.journal.add(runId, [{ type: 'said', message: { id: `said-${step}`, role: 'user', content: [] } }])
    print('note', runId, `said-${step}`)
    await say(writer.toolResult(`call-${step}`, 'seen'))
  }
  await say(writer.text('Done.'))
  await say(writer.end())
}

for (let round = 0; ; round++) await Promise.all([0, 1, 2].map((index) => produce(`${name}-${round}-${index}`)))
