// Appends so many steps, so many at once, and prints each acknowledgement.
import { writeSync } from 'node:fs'
import { sqliteStore } from '../dist/index.js'

const [file, rounds, atOnce] = process.argv.slice(2)
const store = await sqliteStore(file)
const runs = Array.from({ length: Number(atOnce) }, (_none, index) => `run-${index}`)
for (const runId of runs) await store.create({ threadId: 't', runId }, { owner: 'a', now: 0, until: 1e15 }, 8)

const step = (revision) => ({
  commit: { messages: [], state: { type: 'running' } },
  facts: [{ seq: revision, fact: { type: 'step_ended', message_id: 'm' } }],
  after: { state: { type: 'running' }, openCalls: [] },
})

writeSync(1, 'begin\n')
for (let revision = 0; revision < Number(rounds); revision++) {
  await Promise.all(
    runs.map(async (runId) => {
      const key = `${revision}`
      await store.append(runId, { epoch: 1, revision, key, reserve: 0, release: false, step: step(revision) })
      writeSync(1, 'ack\n')
    }),
  )
}
writeSync(1, 'over\n')
process.exit(0)
