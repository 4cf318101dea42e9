/** What an agent has written, as the runs that protocols are judged with: one for each segment. */
import { CLIENT_TOOL, type LiveRun, type ScriptItem } from '@factwire/conformance'
import { type Committed, fold } from '@factwire/core'
import type { Output } from '../src/index.ts'
import { RUN } from './agent.ts'

export interface Recording extends Output {
  /** The segments so far. */
  runs(): readonly LiveRun[]
}

/** Passes on what is written, and keeps it in its order. */
export function recording(output: Output): Recording {
  const scripts: ScriptItem[][] = [[]]
  return {
    async write(written) {
      await output.write(written)
      const { events, commit } = written
      const script = scripts.at(-1)
      if (commit) script?.push({ commit })
      for (const { tier, event } of events) if (tier === 'delta') script?.push({ delta: event })
      if (commit && commit.state.type !== 'running') scripts.push([])
    },
    runs() {
      const runs: LiveRun[] = []
      for (const script of scripts) {
        if (script.length > 0) runs.push(runOf(known(script), runs.at(-1)?.after ?? { openCalls: [] }))
      }
      return runs
    },
  }
}

/** A wire is judged with one tool of the client. */
const known = (script: readonly ScriptItem[]): readonly ScriptItem[] =>
  JSON.parse(JSON.stringify(script).replaceAll('"name":"choose"', `"name":"${CLIENT_TOOL}"`)) as ScriptItem[]

function runOf(script: readonly ScriptItem[], before: Committed['standing']): LiveRun {
  const after = script.reduce((now, item) => ('commit' in item ? fold(item.commit, now).after : now), before)
  const resets = script.some(
    (item) => 'delta' in item && (item.delta.type === 'stream_reset' || item.delta.type === 'tool_call_cancelled'),
  )
  return { run: RUN, script, marks: 'both', marked: true, resets, before, after }
}
