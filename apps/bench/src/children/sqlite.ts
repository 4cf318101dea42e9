/**
 * Commits that are on the disk before they are acknowledged: how many a second, how long each takes, and how long the event loop
 * of the process waits meanwhile. Arguments: who (`factwire`, or `plain` better-sqlite3 on the main thread), how many in flight, and
 * for how many seconds.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { sqliteStore } from '@factwire/sqlite'
import type { Step } from '@factwire/hub'
import Sqlite from 'better-sqlite3'

const [who = '', ...numbers] = process.argv.slice(2)
const [inFlight = 1, seconds = 1] = numbers.map(Number)
const folder = mkdtempSync(join(tmpdir(), 'factwire-bench-'))
const file = join(folder, 'facts.db')

/** A message of 900 bytes, about. */
function stepOf(seq: number): Step {
  const content = [{ type: 'text', text: 'x'.repeat(350) }] as const
  return {
    commit: { messages: [{ id: `m${seq}`, role: 'assistant', content }], state: { type: 'running' } },
    facts: [{ seq, fact: { type: 'assistant_message', id: `m${seq}`, content } }],
    after: { state: { type: 'running' }, openCalls: [] },
  }
}

interface Commits {
  commit(worker: number, revision: number): Promise<unknown>
  close(): Promise<void>
}

async function ours(): Promise<Commits> {
  const store = await sqliteStore(file)
  for (let worker = 0; worker < inFlight; worker++) {
    await store.create({ threadId: 't', runId: `${worker}` }, { owner: 'a', now: 0, until: 1e15 }, 8)
  }
  return {
    commit: (worker, revision) =>
      store.append(`${worker}`, {
        epoch: 1,
        revision,
        key: `${revision}`,
        reserve: 0,
        release: false,
        step: stepOf(revision),
      }),
    close: () => store.close(),
  }
}

/** The same rows, by hand, where the host's own code runs. */
function plain(): Commits {
  const database = new Sqlite(file)
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = FULL')
  database.exec(
    'CREATE TABLE runs (n INTEGER PRIMARY KEY, revision INTEGER); CREATE TABLE steps (run, revision, body, PRIMARY KEY (run, revision)) WITHOUT ROWID; CREATE TABLE facts (run, seq, body, PRIMARY KEY (run, seq)) WITHOUT ROWID',
  )
  for (let worker = 0; worker < inFlight; worker++) database.prepare('INSERT INTO runs VALUES (?, 0)').run(worker)
  const move = database.prepare('UPDATE runs SET revision = ? WHERE n = ? AND revision = ?')
  const insertStep = database.prepare('INSERT INTO steps VALUES (?, ?, ?)')
  const insertFact = database.prepare('INSERT INTO facts VALUES (?, ?, ?)')
  const all = database.transaction((worker: number, revision: number) => {
    const { commit, facts } = stepOf(revision)
    move.run(revision + 1, worker, revision)
    insertStep.run(worker, revision, JSON.stringify(commit))
    for (const { seq, fact } of facts) insertFact.run(worker, seq, JSON.stringify(fact))
  })
  return {
    async commit(worker, revision) {
      all.immediate(worker, revision)
      await new Promise((resolve) => setImmediate(resolve))
    },
    async close() {
      database.close()
    },
  }
}

const { commit, close } = who === 'plain' ? plain() : await ours()
const delay = monitorEventLoopDelay({ resolution: 1 })
const latencies: number[] = []
const begin = performance.now()
const end = begin + seconds * 1000
delay.enable()
await Promise.all(
  Array.from({ length: inFlight }, async (_none, worker) => {
    for (let revision = 0; performance.now() < end; revision++) {
      const start = performance.now()
      await commit(worker, revision)
      latencies.push(performance.now() - start)
    }
  }),
)
const taken = (performance.now() - begin) / 1000
delay.disable()
await close()
rmSync(folder, { recursive: true })
latencies.sort((a, b) => a - b)
const at = (share: number): number => latencies[Math.floor(share * (latencies.length - 1))] ?? 0
// What the monitor itself waits for is no delay.
const loop = (percentile: number): number => Math.max(delay.percentile(percentile) / 1e6 - 1, 0)
console.log(JSON.stringify({ perSecond: latencies.length / taken, p50: at(0.5), p99: at(0.99), loop: loop(99) }))
