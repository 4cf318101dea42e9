/** A commit that leaves nothing open leaves nothing open on a wire, where its clients rest between two steps: readers come back there. */
import { type Subject, anyRun } from '@factwire/conformance'
import { checkGrammar, fold, type Standing } from '@factwire/core'
import fc from 'fast-check'
import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { contextOf } from '../../conformance/src/encode.ts'
import { channel } from '../src/channel.ts'

const packages = new URL('../../', import.meta.url)
const seed = Number(process.env['FACTWIRE_SEED'] ?? 20)
const numRuns = Number(process.env['FACTWIRE_RUNS'] ?? 200)

/** Every wire of this repository, found by folder. */
async function subjects(): Promise<readonly Subject<unknown>[]> {
  const found: Subject<unknown>[] = []
  for (const folder of readdirSync(packages)) {
    const url = new URL(`${folder}/test/subject.ts`, packages)
    const loaded = (await import(url.href).catch(() => ({}))) as {
      readonly subject?: Subject<unknown>
      readonly subjectOf?: () => Subject<unknown>
    }
    const subject = loaded.subject ?? loaded.subjectOf?.()
    if (subject) found.push(subject)
  }
  return found
}

const all = await subjects()

test('there are wires whose clients rest, and one whose clients never do', () => {
  const context = { threadId: 't', runId: 'r' }
  const rests = all.map(({ protocol, options }) => [
    protocol.name,
    channel(protocol, options, { context, seq: -1, join: undefined, onError: () => undefined }).rests,
  ])
  expect(Object.fromEntries(rests)).toMatchObject({ sse: true, 'ag-ui': true, 'openai-chat': false })
})

test.each(all.map((subject) => [subject.protocol.name, subject] as const))(
  '%s: where nothing is open in the thread nothing is open on the wire',
  (_name, subject) => {
    const { protocol, options } = subject
    fc.assert(
      fc.property(
        anyRun().filter(({ marked }) => marked),
        fc.boolean(),
        (run, isLive) => {
          const context = contextOf(subject, run)
          const { rests } = channel(protocol, options, { context, seq: -1, join: undefined, onError: () => undefined })
          const transcoder = protocol.transcoder(context, options)
          const check = checkGrammar(protocol.grammar)
          const show = (frames: readonly unknown[]): void => {
            for (const frame of frames) check.push(frame)
          }
          let standing: Standing = run.before
          let open = false
          for (const item of run.script) {
            if ('delta' in item) {
              open = true
              if (isLive) show(transcoder.delta(item.delta))
              continue
            }
            const { facts, after } = fold(item.commit, standing)
            standing = after
            for (const fact of facts) show(transcoder.fact(fact))
            if (facts.length > 0) show(transcoder.settled())
            if (item.commit.messages.some(({ role }) => role === 'assistant')) open = false
            if (after.state?.type !== 'running' || after.openCalls.length > 0 || (open && isLive)) continue
            expect(rests === true && !check.atRest()).toBe(false)
          }
        },
      ),
      { seed, numRuns },
    )
  },
)
