import { type AgentEvent, type Fact, decode, transcode, type RunContext } from '@factwire/core'
import { readSse, sse, createReducer, parseFlat } from '@factwire/sse'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyDisturbance, anyRun, context, disturb } from '../../../testing/runs.ts'
import { agUi } from '../src/index.ts'
const withHistory: RunContext = { ...context, history: [] }
async function over(events: readonly AgentEvent[]): Promise<AgentEvent[]> {
  const bytes = async function* () { yield* transcode(agUi, events, withHistory) }
  const out: AgentEvent[] = []
  for await (const event of decode(agUi, readSse(bytes()))) out.push(event)
  return out
}
async function view(events: readonly AgentEvent[]) {
  const r = createReducer()
  for await (const t of transcode(sse, events, withHistory)) for (const block of t.split('\n\n')) { const d = block.split('\n').find(l => l.startsWith('data: ')); if (d) { const e = parseFlat(JSON.parse(d.slice(6))); if (e) r.push(e) } }
  return r.view()
}
const facts = (e: readonly AgentEvent[]): AgentEvent[] => e.filter(x => x.tier === 'fact')
const plain = (f: Fact[]) => JSON.stringify(f.filter(x => !['assistant_thinking','inference_completed'].includes(x.type)).map(x => x.type === 'tool_call' ? {...x, disposition: 0} : x))
test('one', async () => {
  const run: any = {"run":{"threadId":"thread-1","runId":"run-1"},"script":[{"commit":{"messages":[],"state":{"type":"running"}}},{"delta":{"type":"reasoning_delta","delta":"","message_id":"run-1-assistant-0-try","offset":0}},{"delta":{"type":"tool_call_delta","id":"c0-0-try","name":"search","args_delta":"","message_id":"run-1-assistant-0-try","offset":0}},{"delta":{"type":"tool_call_delta","id":"c0-0-try","name":"search","args_delta":"{\"q\":\"\"}","message_id":"run-1-assistant-0-try","offset":0}},{"delta":{"type":"stream_reset","reason":"connection reset"}},{"delta":{"type":"reasoning_delta","delta":"","message_id":"run-1-assistant-0","offset":0}},{"delta":{"type":"tool_call_delta","id":"c0-0","name":"search","args_delta":"","message_id":"run-1-assistant-0","offset":0}},{"delta":{"type":"tool_call_delta","id":"c0-0","name":"search","args_delta":"{\"q\":\"\"}","message_id":"run-1-assistant-0","offset":0}},{"commit":{"messages":[{"id":"run-1-assistant-0","role":"assistant","content":[{"type":"thinking","text":""},{"type":"tool_use","id":"c0-0","name":"search","input":{"q":""}}]}],"state":{"type":"running"}}},{"commit":{"messages":[{"id":"tool-c0-0","role":"tool","content":[{"type":"tool_result","tool_use_id":"c0-0","content":[{"type":"text","text":""},{"type":"image","source":{"type":"url","url":"https://example.com/a.png"}}],"is_error":true,"denied":true}]}],"state":{"type":"running"}}},{"commit":{"messages":[],"state":{"type":"ended","cause":{"type":"natural_end"}}}}],"marked":true,"resets":true,"before":{"openCalls":[]},"after":{"state":{"type":"ended","cause":{"type":"natural_end"}},"openCalls":[]}}
  const d: any = {"kind":"prefix","upTo":215}
  let t = ''
  for await (const x of transcode(agUi, disturb(run, d), withHistory)) t += x
  console.log(t)
  console.log((await over(disturb(run, d))).map(e => JSON.stringify(e)).join('\n'))
})
test('disturbed', async () => {
  await fc.assert(fc.asyncProperty(anyRun(), anyDisturbance, async (run, d) => {
    const foreign = d.kind === 'foreign' || !run.marked
    const a = facts(await over(disturb(run, d))).map(e => e.event as Fact)
    const b = facts(await over(disturb(run, { kind: 'none' }))).map(e => e.event as Fact)
    if (a.some(x => x.type === 'run_failed' && x.code.startsWith('stream_'))) return
    const strip = (s: string) => foreign ? s.replace(/"(message_id|id)":"[^"]*"/g, '') : s
    if (foreign) expect(a.filter(x=>x.type!=='assistant_thinking' && x.type!=='step_ended' && x.type !== 'inference_completed').map(x => x.type).sort()).toEqual(b.filter(x=>x.type!=='assistant_thinking'&& x.type!=='step_ended' && x.type !== 'inference_completed').map(x => x.type).sort())
    else expect(strip(plain(a.filter(x=>x.type!=='step_ended')))).toEqual(strip(plain(b.filter(x=>x.type!=='step_ended'))))
  }), { seed: 9, numRuns: Number(process.env['FACTWIRE_RUNS'] ?? 300) })
}, 600000)
test('decoded deltas agree', async () => {
  await fc.assert(fc.asyncProperty(anyRun(), anyDisturbance, async (run, d) => {
    const out = await over(disturb(run, d))
    const live: any = await view(out), truth: any = await view(facts(out))
    for (const v of [live, truth]) { v.turns = v.turns.filter((t: any) => t.text !== '' || t.calls.length > 0).map(({ reasoning: _, encrypted: _2, id: _3, ...t }: any) => t) }
    expect(JSON.parse(JSON.stringify(live))).toEqual(JSON.parse(JSON.stringify(truth)))
  }), { seed: 9, numRuns: Number(process.env['FACTWIRE_RUNS'] ?? 300) })
}, 600000)
