/** What a process leaves that is killed at any moment, and when the disk is waited for. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { factEvent, writer } from '@factwire/core'
import { createHub } from '@factwire/hub'
import { manualClock } from '@factwire/hub/testing'
import { sse } from '@factwire/sse'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clientView } from '../../sse/test/client.ts'
import { sqliteStore } from '../src/index.ts'
import { build, isThere, needsIt } from './built.ts'

const kills = Number(process.env['FACTWIRE_KILLS'] ?? 5)
const hasStrace = spawnSync('strace', ['-V'], { stdio: 'ignore' }).status === 0
const needsStrace = hasStrace ? needsIt : `NOT CHECKED: without strace: `
const folder = mkdtempSync(join(tmpdir(), 'factwire-crash-'))
const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

beforeAll(() => {
  if (isThere) build('core', 'sse', 'hub', 'sqlite')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What a process had printed when it was killed, whole lines only. */
async function killedAfter(child: ChildProcess, lines: number): Promise<readonly string[]> {
  const printed: string[] = []
  const input = child.stdout
  if (!input) throw new Error('the process has no output')
  let last = ''
  input.on('data', (data: Buffer) => {
    last = data.toString()
  })
  for await (const line of createInterface({ input })) {
    printed.push(line)
    if (printed.length === lines) child.kill('SIGKILL')
  }
  // The last line may be half of one.
  return last.endsWith('\n') ? printed : printed.slice(0, -1)
}

interface Left {
  readonly acknowledged: number
  readonly read: string
  /** What the journal has acknowledged: calls, and ids of messages. */
  readonly claims: readonly string[]
  readonly notes: readonly string[]
}

const NOTHING: Left = { acknowledged: 0, read: '', claims: [], notes: [] }

function leftBy(printed: readonly string[]): ReadonlyMap<string, Left> {
  const runs = new Map<string, Left>()
  for (const line of printed) {
    const [kind, runId = '', rest = ''] = line.split(' ')
    const left = runs.get(runId) ?? NOTHING
    if (kind === 'ack') runs.set(runId, { ...left, acknowledged: left.acknowledged + 1 })
    else if (kind === 'claim') runs.set(runId, { ...left, claims: [...left.claims, rest] })
    else if (kind === 'note') runs.set(runId, { ...left, notes: [...left.notes, rest] })
    else runs.set(runId, { ...left, read: left.read + Buffer.from(rest, 'base64').toString() })
  }
  return runs
}

/** Checks what a killed process has left, as another that opens the file. Gives how many of its runs were not over. */
async function inspect(file: string, left: ReadonlyMap<string, Left>): Promise<number> {
  const store = await sqliteStore(file)
  const clock = manualClock(Date.now() + 60_000)
  const errors: unknown[] = []
  const hub = createHub({ store, owner: 'inspector', clock, onError: (error) => errors.push(error) })
  let failed = 0
  for (const [runId, { acknowledged, read, claims, notes }] of left) {
    const before = await store.load(runId)
    expect(before?.revision).toBeGreaterThanOrEqual(acknowledged)
    const isOver = before?.standing.state?.type === 'ended'
    const noted = (await store.journal.read(runId)).map((note) => (note.type === 'said' ? note.message.id : ''))
    expect(noted.slice(0, notes.length)).toEqual(isOver ? [] : notes)
    const again = isOver ? [] : await Promise.all(claims.map((call) => store.journal.claim(runId, call)))
    expect(again).not.toContain(true)
    const ids = [...read.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))
    const seen = ids.at(-1)
    const attached = await hub.attach(runId, sse, seen === undefined ? {} : { lastEventId: `${seen}` })
    const rest = attached.type === 'stream' ? await new Response(attached.body()).text() : ''

    const facts = await store.facts(runId, -1, 1000)
    const own = facts.filter(({ seq }) => seq > (before?.lastFact ?? -1))
    failed += own.length > 0 ? 1 : 0
    const { state } = before?.standing ?? {}
    expect(own.map(({ fact }) => fact.type).slice(-1)).toEqual(state?.type === 'ended' ? [] : ['run_failed'])
    // No number comes twice, also of those that only deltas had.
    expect(own[0]?.seq ?? Number.POSITIVE_INFINITY).toBeGreaterThan(seen ?? -1)
    const truth = writer(sse, { threadId: 'thread-1', runId })
    const body = facts.map(({ fact }) => truth.push(factEvent(fact))).join('')
    const { more: _more, ...view } = clientView(rest, { had: read })
    const { more: _truth, ...expected } = clientView(body)
    expect({ ...view, read, rest }).toEqual({ ...expected, read, rest })
  }
  expect(errors).toEqual([])
  await hub.close()
  await store.close()
  return failed
}

describe.skipIf(!isThere)(`${needsIt}a process that is killed`, () => {
  test(`leaves every acknowledged commit, no number twice, and readers that end with the committed view (${kills} times)`, async () => {
    const file = join(folder, 'kill.db')
    let random = Number(process.env['FACTWIRE_SEED'] ?? 12_345)
    let failed = 0
    for (let kill = 0; kill < kills; kill++) {
      random = (random * 1_103_515_245 + 12_345) % 2 ** 31
      const child = spawn(process.execPath, [path('producing.mjs'), file, `p${kill}`], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const left = leftBy(await killedAfter(child, 1 + (random % 250)))
      failed += await inspect(file, left)
    }
    // It is no accident that kept them whole.
    expect(failed).toBeGreaterThan(kills / 2)
  }, 600_000)
})

describe.skipIf(!isThere || !hasStrace)(`${needsStrace}the disk`, () => {
  interface Traced {
    /** Since the acknowledgement before, for each: how often the disk was waited for. */
    readonly syncs: readonly number[]
  }

  function trace(name: string, rounds: number, atOnce: number): Traced {
    const log = join(folder, `${name}.trace`)
    const given = ['-f', '-e', 'trace=fdatasync,fsync,write', '-o', log, process.execPath]
    const { status } = spawnSync('strace', [
      ...given,
      path('syncing.mjs'),
      join(folder, `${name}.db`),
      `${rounds}`,
      `${atOnce}`,
    ])
    if (status !== 0) throw new Error('the process has failed')
    const syncs: number[] = []
    let count: number | undefined
    for (const line of readFileSync(log, 'utf8').split('\n')) {
      if (line.includes('write(1, "begin')) count = 0
      else if (line.includes('write(1, "over')) count = undefined
      else if (count === undefined) continue
      else if (/f(data)?sync.*= 0/.test(line)) count++
      else if (line.includes('write(1, "ack')) {
        syncs.push(count)
        count = 0
      }
    }
    return { syncs }
  }

  test('is waited for once a commit, before it is acknowledged', () => {
    const { syncs } = trace('one', 40, 1)
    expect(syncs).toHaveLength(40)
    expect(syncs).toEqual(syncs.map(() => 1))
  }, 60_000)

  test('is waited for once by all that are written together', () => {
    const { syncs } = trace('many', 10, 64)
    expect(syncs).toHaveLength(640)
    const waits = syncs.reduce((sum, count) => sum + count, 0)
    expect(syncs[0]).toBeGreaterThan(0)
    expect(waits).toBeGreaterThanOrEqual(10)
    expect(waits).toBeLessThan(64)
  }, 60_000)
})
