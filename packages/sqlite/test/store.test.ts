import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runWriter } from '@factwire/core'
import { createHub } from '@factwire/hub'
import { manualClock, storeCases } from '@factwire/hub/testing'
import { checkpointCases, journalCases } from '@factwire/runtime/testing'
import { sse } from '@factwire/sse'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../src/database.ts'
import { migrate } from '../src/schema.ts'
import { type AnswerCheckpoint, type JournalNote, type RunsQuery, type SqliteStore, sqliteStore } from '../src/index.ts'
import { build, isThere, needsIt } from './built.ts'
import { open } from './example.ts'

const folder = mkdtempSync(join(tmpdir(), 'factwire-sqlite-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const RUN = { threadId: 'thread-1', runId: 'run-1' }
const claim = { owner: 'a', now: 0, until: 100 }

test.each(['', ' ', ':memory:'])('a name of no file is refused, and leaves nothing behind: "%s"', async (name) => {
  await expect(sqliteStore(name)).rejects.toThrow(TypeError)
  for (const end of ['', '.lock', '.holder']) expect(existsSync(name + end)).toBe(false)
})

test('the README shows the example as it stands here', () => {
  const [readme, example] = ['../README.md', 'example.ts'].map((path) =>
    readFileSync(new URL(path, import.meta.url), 'utf8'),
  )
  expect([...(readme ?? '').matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code)).toEqual([example])
})

describe.skipIf(!isThere)(`${needsIt}a store in a file`, () => {
  let store: SqliteStore
  beforeAll(async () => {
    build('core', 'hub', 'sqlite')
    store = await sqliteStore(join(folder, 'cases.db'))
  })
  afterAll(() => store.close())

  test.each(storeCases)('$name', async ({ run }) => {
    await expect(run(store)).resolves.toBeUndefined()
  })

  test('a hub over it finds its runs again after a restart', async () => {
    const file = join(folder, 'restarted.db')
    const before = await open(file)
    const producer = await before.hub.produce(RUN)
    await producer.write(runWriter(RUN).end())
    await before.close()
    const after = await open(file)
    const attached = await after.hub.attach(RUN.runId, sse)
    expect(attached.type === 'stream' && (await new Response(attached.body()).text())).toContain('run_finish')
    await after.close()
  })

  test('says which runs there are: the newest first, of a thread, before another, waiting for a call', async () => {
    const listed = await sqliteStore(join(folder, 'listed.db'))
    const openCalls = [{ id: 'call-1', name: 'ask', message_id: 'm' }]
    for (const [index, type] of (['awaiting', 'running', 'awaiting'] as const).entries()) {
      const runId = `run-${index}`
      const { record } = await listed.create({ threadId: `thread-${index % 2}`, runId }, claim, 8)
      const marked = { mark: `mark-${index}` }
      const step = {
        commit: { messages: [], state: { type } },
        facts: [],
        after: { state: { type }, openCalls },
        ...marked,
      }
      const request = { epoch: record.lease.epoch, revision: 0, key: 'k', reserve: 8, release: false, step }
      await listed.append(runId, request)
    }
    const ids = async (query: Omit<RunsQuery, 'limit'>, limit = 10): Promise<readonly string[]> =>
      (await listed.runs({ ...query, limit })).map(({ run }) => run.runId)
    expect(await ids({})).toEqual(['run-2', 'run-1', 'run-0'])
    expect(await ids({}, 2)).toEqual(['run-2', 'run-1'])
    expect(await ids({ before: 'run-2' })).toEqual(['run-1', 'run-0'])
    expect(await ids({ before: 'nobody' })).toEqual([])
    expect(await ids({ thread: 'thread-0' })).toEqual(['run-2', 'run-0'])
    expect(await ids({ call: 'call-1' })).toEqual(['run-2', 'run-0'])
    expect(await ids({ waiting: true })).toEqual(['run-2', 'run-0'])
    expect(await ids({ waiting: true, thread: 'thread-1' })).toEqual([])
    expect(await ids({ waiting: false }, 1)).toEqual(['run-2'])
    expect(await ids({ call: 'call-1', thread: 'thread-0', before: 'run-2' })).toEqual(['run-0'])
    expect(await ids({ call: 'call-2' })).toEqual([])
    expect(await ids({ mark: 'mark-1' })).toEqual(['run-1'])
    expect(await ids({ mark: 'mark-3' })).toEqual([])
    await listed.close()
  })

  test('gives a run with its history to whoever loads it, and without it in lists', async () => {
    const listed = await sqliteStore(join(folder, 'histories.db'))
    const history = [{ id: 'm', role: 'user', content: [{ type: 'text', text: 'Go.' }] }] as const
    for (const given of [history, [], undefined]) {
      const run = { threadId: 't', runId: `run-${given?.length}`, ...(given ? { history: given } : {}) }
      const { record } = await listed.create(run, claim, 8)
      const claimed = await listed.acquire(run.runId, { ...claim, now: claim.until })
      for (const one of [record, await listed.load(run.runId), claimed.type === 'held' ? claimed.record : undefined])
        expect(one?.run).toEqual(run)
    }
    const all = await listed.runs({ limit: 10 })
    expect(all.map(({ run }) => [run.runId, 'history' in run])).toEqual([
      ['run-undefined', false],
      ['run-0', false],
      ['run-1', false],
    ])
    await listed.close()
  })

  test.each(journalCases)('its journal: $name', async ({ run }) => {
    await expect(run(store.journal)).resolves.toBeUndefined()
  })

  test.each(checkpointCases)('its checkpoints: $name', async ({ run }) => {
    await expect(run(store.checkpoints)).resolves.toBeUndefined()
  })

  const said: JournalNote = {
    type: 'said',
    message: { id: 'm', role: 'user', content: [{ type: 'text', text: 'Hurry.' }] },
  }
  const checkpoint = (run_id: string): AnswerCheckpoint => ({
    run_id,
    thread_id: 'thread-1',
    after: null,
    upstream_model: 'm',
    partial_text: 'Once',
    completed_tool_calls: [],
    in_flight_tool: null,
    updated_at_ms: 0,
  })

  test('what was noted, claimed and half said is there when the file is opened again', async () => {
    const file = join(folder, 'kept.db')
    const first = await sqliteStore(file)
    await first.journal.add('run', [said])
    await first.journal.claim('run', 'c')
    await first.checkpoints.put(checkpoint('run'))
    await first.close()
    const second = await sqliteStore(file)
    expect(await second.journal.read('run')).toEqual([said])
    expect(await second.journal.claim('run', 'c')).toBe(false)
    expect(await second.checkpoints.get('run')).toEqual(checkpoint('run'))
    await second.close()
  })

  test('what a run has kept goes with its end, whoever commits that, and not while it waits', async () => {
    const clock = manualClock(1000)
    const hub = createHub({ store, owner: 'one', clock })
    const kept = async (runId: string): Promise<readonly unknown[]> => [
      (await store.journal.read(runId)).length,
      (await store.checkpoints.get(runId)) !== undefined,
    ]
    async function keep(runId: string): Promise<void> {
      await store.journal.add(runId, [said])
      await store.journal.claim(runId, 'c')
      await store.checkpoints.put(checkpoint(runId))
    }
    for (const runId of ['kept, waits', 'kept, ends', 'kept, lost']) await keep(runId)
    const waits = await hub.produce({ ...RUN, runId: 'kept, waits' })
    const waiting = runWriter({ runId: 'kept, waits' })
    await waits.write(waiting.toolCall('c', 'choose', '{}', 'pending_client'))
    await waits.write(waiting.await())
    expect(await kept('kept, waits')).toEqual([1, true])
    expect(await store.journal.claim('kept, waits', 'c')).toBe(false)
    const ends = await hub.produce({ ...RUN, runId: 'kept, ends' })
    await ends.write(runWriter({ runId: 'kept, ends' }).end())
    expect(await kept('kept, ends')).toEqual([0, false])
    expect(await store.journal.claim('kept, ends', 'c')).toBe(true)
    await store.create({ ...RUN, runId: 'kept, lost' }, { owner: 'gone', now: 0, until: 1 }, 8)
    await hub.attach('kept, lost', sse)
    expect((await store.load('kept, lost'))?.standing.state?.type).toBe('ended')
    expect(await kept('kept, lost')).toEqual([0, false])
    await hub.close()
  })

  test('what was acknowledged is there when the file is opened again', async () => {
    const file = join(folder, 'again.db')
    const first = await sqliteStore(file)
    const hub = createHub({ store: first, owner: 'a', clock: manualClock() })
    const producer = await hub.produce(RUN)
    await producer.write(runWriter(RUN).end())
    await hub.close()
    await first.close()
    const second = await sqliteStore(file)
    const later = createHub({ store: second, owner: 'b', clock: manualClock() })
    const attached = await later.attach(RUN.runId, sse)
    const text = attached.type === 'stream' ? await new Response(attached.body()).text() : ''
    expect(text).toContain('run_finish')
    await second.close()
  })

  test('a file that is held is refused with who holds it, and is free when that one closes', async () => {
    const file = join(folder, 'held.db')
    const first = await sqliteStore(file)
    await expect(sqliteStore(file)).rejects.toMatchObject({
      code: 'store_failed',
      message: expect.stringMatching(new RegExp(`held\\.db is held by process ${process.pid} on .*, since 20`)),
    })
    await first.close()
    await (await sqliteStore(file)).close()
    expect(existsSync(`${file}.holder`)).toBe(false)
  })

  test('a file that is held is refused under its other names too', async () => {
    // The first links to what is not there yet.
    const [file, link, linked] = [join(folder, 'named.db'), join(folder, 'link.db'), join(folder, 'linked')]
    symlinkSync(file, link)
    symlinkSync(folder, linked)
    for (const [first, second] of [
      [link, file],
      [file, link],
      [join(linked, 'named.db'), file],
    ] as const) {
      const held = await sqliteStore(first)
      await expect(sqliteStore(second)).rejects.toMatchObject({
        message: expect.stringContaining('is held by process'),
      })
      await held.close()
    }
  })

  test('a file that cannot be made is an error that says so', async () => {
    await expect(sqliteStore(join(folder, 'none', 'x.db'))).rejects.toMatchObject({ code: 'store_failed' })
  })

  test('a backup while runs go on is a whole store of one moment', async () => {
    const file = join(folder, 'busy.db')
    const busy = await sqliteStore(file)
    await busy.create(RUN, claim, 8)
    const writing = Array.from({ length: 50 }, (_none, revision) =>
      busy.append(RUN.runId, {
        epoch: 1,
        revision,
        key: `${revision}`,
        reserve: 100,
        release: false,
        step: {
          commit: { messages: [], state: { type: 'running' } },
          facts: [{ seq: revision, fact: { type: 'step_ended', message_id: `m${revision}` } }],
          after: { state: { type: 'running' }, openCalls: [] },
        },
      }),
    )
    await writing[0]
    const copy = join(folder, 'copy.db')
    await busy.backup(copy)
    await Promise.all(writing)
    await busy.close()
    const restored = await sqliteStore(copy)
    const record = await restored.load(RUN.runId)
    const facts = await restored.facts(RUN.runId, -1, 100)
    expect(record?.revision).toBeGreaterThan(0)
    expect(facts.map(({ seq }) => seq)).toEqual(Array.from({ length: record?.revision ?? 0 }, (_none, seq) => seq))
    await restored.close()
  })

  test('a store that is closed says so to whoever asks', async () => {
    const closed = await sqliteStore(join(folder, 'closed.db'))
    await closed.close()
    const asked = [
      () => closed.create(RUN, claim, 8),
      () => closed.load(RUN.runId),
      () => closed.facts(RUN.runId, -1, 10),
      () => closed.runs({ limit: 1 }),
      () => closed.journal.read(RUN.runId),
      () => closed.journal.claim(RUN.runId, 'c'),
      () => closed.checkpoints.get(RUN.runId),
      () => closed.backup(join(folder, 'late.db')),
    ]
    for (const ask of asked) await expect(ask()).rejects.toMatchObject({ code: 'store_failed' })
    await expect(closed.close()).resolves.toBeUndefined()
  })

  test('one request of a group that fails takes no other with it', async () => {
    const outcomes = await Promise.allSettled([
      store.create({ ...RUN, runId: 'good' }, claim, 8),
      store.append('nobody', {
        epoch: 1,
        revision: 0,
        key: 'k',
        reserve: 0,
        release: false,
        step: { commit: { messages: [], state: { type: 'running' } }, facts: [], after: { openCalls: [] } },
      }),
      store.reserve('good', 1, 20),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect((await store.load('good'))?.reserved).toBe(20)
  })

  test('a file is brought to this version step by step, and one of a later version is refused', async () => {
    const database = await openDatabase(join(folder, 'versions.db'))
    const first = ['CREATE TABLE a (n INTEGER)']
    migrate(database, first)
    migrate(database, [...first, 'INSERT INTO a VALUES (7)'])
    migrate(database, [...first, 'INSERT INTO a VALUES (7)'])
    expect(database.prepare('SELECT n FROM a').all()).toEqual([{ n: 7 }])
    expect(() => migrate(database, first)).toThrow(/version 2/)
    expect(() => migrate(database, [...first, 'INSERT INTO a VALUES (7)', 'INSERT INTO a VALUES (8); no SQL'])).toThrow(
      /syntax error/,
    )
    expect(database.prepare('SELECT n FROM a').all()).toEqual([{ n: 7 }])
    database.close()
  })

  test('a file of the first version gets what came later, and keeps its facts', async () => {
    const file = join(folder, 'first.db')
    const made = await sqliteStore(file)
    await made.create(RUN, claim, 8)
    await made.close()
    const database = await openDatabase(file)
    for (const table of ['notes', 'claims', 'checkpoints', 'histories']) database.exec(`DROP TABLE ${table}`)
    for (const index of ['runs_of_thread', 'waiting', 'marked']) database.exec(`DROP INDEX ${index}`)
    database.exec('ALTER TABLE steps DROP COLUMN mark')
    database.pragma('user_version = 1')
    database.close()
    const opened = await sqliteStore(file)
    expect((await opened.load(RUN.runId))?.reserved).toBe(8)
    await opened.journal.add(RUN.runId, [said])
    expect(await opened.journal.read(RUN.runId)).toEqual([said])
    await opened.close()
  })

  test('a process with a store that nobody waits for ends', () => {
    const code = `
      import { sqliteStore } from ${JSON.stringify(new URL('../dist/index.js', import.meta.url).href)}
      const store = await sqliteStore(${JSON.stringify(join(folder, 'idle.db'))})
      console.log((await store.create({ threadId: 't', runId: 'r' }, { owner: 'a', now: 0, until: 1 }, 8)).created)`
    const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
      encoding: 'utf8',
      timeout: 30_000,
    })
    expect([status, stdout]).toEqual([0, 'true\n'])
  })
})
