import { parseJson } from '@factwire/core'
import { expect, test } from 'vitest'
import { framing } from '../src/framing.ts'
import { flatMessages } from '../src/parse-messages.ts'
import { parseFlat } from '../src/parse.ts'
import { type FlatEvent, frames, isTerminal } from '../src/wire.ts'

/** As the wire's reference prints them: order of keys and what is left out included. */
const PRINTED = [
  '{"event_type":"run_start","thread_id":"th-7","run_id":"ru-1"}',
  '{"event_type":"run_start","thread_id":"th-7","run_id":"ru-2","parent_run_id":"ru-1","identity":{"thread_id":"th-7","run_id":"ru-2","parent_run_id":"ru-1","agent_id":"planner","origin":"subagent"}}',
  '{"event_type":"step_start","message_id":"0197-aa"}',
  '{"event_type":"text_delta","delta":"Let me "}',
  '{"event_type":"reasoning_delta","delta":"user wants a sum"}',
  '{"event_type":"reasoning_encrypted_value","encrypted_value":"b64…"}',
  '{"event_type":"tool_call_start","id":"c1","name":"sum"}',
  '{"event_type":"tool_call_delta","id":"c1","args_delta":"{\\"a\\":1,"}',
  '{"event_type":"tool_call_ready","id":"c1","name":"sum","arguments":{"a":1,"b":2}}',
  '{"event_type":"tool_call_stream_delta","id":"c1","name":"sum","delta":"…partial output"}',
  '{"event_type":"tool_call_done","id":"c1","message_id":"","result":{"tool_name":"sum","status":"success","data":{"total":3},"message":null},"outcome":"succeeded"}',
  '{"event_type":"tool_call_resumed","target_id":"c1","result":{"approved":true}}',
  '{"event_type":"tool_call_cancel","id":"c2","name":"fetch","reason":"connection reset"}',
  '{"event_type":"stream_reset","reason":"idle stall"}',
  '{"event_type":"inference_complete","model":"m-large","usage":{"prompt_tokens":12,"completion_tokens":5,"total_tokens":17},"duration_ms":840}',
  '{"event_type":"inference_complete","model":"m-large","usage":{},"duration_ms":840}',
  '{"event_type":"inference_complete","model":"m-large","duration_ms":840}',
  '{"event_type":"state_snapshot","snapshot":{"extensions":{},"revision":4}}',
  '{"event_type":"state_delta","delta":[{"op":"replace","path":"/n","value":3}]}',
  '{"event_type":"activity_snapshot","message_id":"c1","activity_type":"tool-call-progress","content":{"status":"running"},"replace":true}',
  '{"event_type":"activity_snapshot","message_id":"c1","activity_type":"tool-call-progress","content":{"status":"running"}}',
  '{"event_type":"activity_delta","message_id":"c1","activity_type":"tool-call-progress","patch":[{"op":"replace","path":"/progress","value":0.5}]}',
  '{"event_type":"step_end"}',
  '{"event_type":"run_finish","thread_id":"th-7","run_id":"ru-1","result":{"response":"3","status":"done","status_reason":"natural"},"termination":{"type":"natural_end"}}',
  '{"event_type":"error","message":"boom","code":"E1"}',
  '{"event_type":"error","message":"boom"}',
  '{"event_type":"messages_snapshot","messages":[{"content":[],"role":"user"}]}',
  '{"event_type":"messages_snapshot","messages":[{"role":"User","content":[{"type":"video","source":{"type":"url","url":"u"}},{"type":"text","text":"hi","cached":true}],"metadata":{"run_id":"r"}},null,7]}',
  '{"event_type":"messages_snapshot","messages":[{"id":"m1","role":"assistant","content":[{"type":"text","text":"hi"},{"type":"thinking","thinking":"hm"}],"tool_calls":[{"id":"c1","name":"sum","arguments":{"a":1}}]},{"role":"tool","content":[{"type":"text","text":"no"}],"tool_call_id":"c1","is_error":true,"data":{"n":1}}]}',
]

for (const json of PRINTED) {
  test(`reads and prints ${json.slice(15, 70)}…`, () => {
    const event = framing.parse({ data: json })
    expect(event).toEqual(JSON.parse(json))
    expect(event && framing.text(event)).toBe(`data: ${json}\n\n`)
  })
}

test('all 22 events are among them', () => {
  expect(new Set(PRINTED.map((json) => JSON.parse(json).event_type)).size).toBe(22)
})

function finish(termination: string): string {
  return `{"event_type":"run_finish","thread_id":"t","run_id":"r","termination":${termination}}`
}

test.each([
  '{"type":"natural_end"}',
  '{"type":"behavior_requested"}',
  '{"type":"stopped","value":{"code":"max_rounds"}}',
  '{"type":"stopped","value":{"code":"timeout","detail":"60 s"}}',
  '{"type":"cancelled"}',
  '{"type":"blocked","value":"denied by policy"}',
  '{"type":"suspended"}',
  '{"type":"error","value":"provider error: …"}',
])('reads and prints the termination %s', (termination) => {
  const event = parseFlat(JSON.parse(finish(termination)))
  expect(event && framing.text(event)).toBe(`data: ${finish(termination)}\n\n`)
})

test('reads the older name of a termination', () => {
  expect(parseFlat(JSON.parse(finish('{"type":"plugin_requested"}')))).toMatchObject({
    termination: { type: 'behavior_requested' },
  })
})

function done(result: string): string {
  return `{"event_type":"tool_call_done","id":"c1","message_id":"","result":${result},"outcome":"suspended"}`
}

test.each([
  '{"tool_name":"rm","status":"error","data":null,"message":"no such file"}',
  '{"tool_name":"rm","status":"error","data":{"error":{"code":"E_PERM","message":"no"}},"message":"[E_PERM] no"}',
  '{"tool_name":"mcp_x","status":"success","data":1,"message":null,"metadata":{"server":"x"}}',
  '{"tool_name":"rm","status":"pending","data":null,"message":null,"suspension":{"suspension":{"id":"perm-c1","action":"tool:PermissionConfirm","message":"run rm?","parameters":{"path":"/x"},"response_schema":{"type":"object"}},"pending":{"id":"perm-c1","name":"permission_confirm","arguments":{"path":"/x"}},"resume_mode":"replay_tool_call"}}',
])('reads and prints the tool result %s', (result) => {
  const event = parseFlat(JSON.parse(done(result)))
  expect(event && framing.text(event)).toBe(`data: ${done(result)}\n\n`)
})

test('a ticket may miss each of its keys', () => {
  const event = parseFlat(JSON.parse(done('{"tool_name":"rm","status":"pending","suspension":{}}')))
  expect(event).toEqual({
    event_type: 'tool_call_done',
    id: 'c1',
    message_id: '',
    result: {
      tool_name: 'rm',
      status: 'pending',
      data: null,
      message: null,
      suspension: {
        suspension: { id: '', action: '' },
        pending: { id: '', name: '', arguments: null },
        resume_mode: 'replay_tool_call',
      },
    },
    outcome: 'suspended',
  })
})

const IDENTITY =
  '{"thread_id":"th-7","parent_thread_id":"th-1","run_id":"ru-1","parent_run_id":"ru-0","agent_id":"helper","parent_tool_call_id":"c0","dispatch_id":"di-9","session_id":"in-4","transport_request_id":"tr-2","origin":"user","run_mode":"scheduled","adapter":"ag_ui"}'

test('reads and prints an identity', () => {
  const json = `{"event_type":"run_start","thread_id":"th-7","run_id":"ru-1","identity":${IDENTITY}}`
  const event = parseFlat(JSON.parse(json))
  expect(event && framing.text(event)).toBe(`data: ${json}\n\n`)
})

test('the usual mode and adapter of an identity are not written, and origin always is', () => {
  const identity = { thread_id: 't', run_id: 'r', agent_id: 'a', run_mode: 'foreground', adapter: 'internal' }
  expect(parseFlat({ event_type: 'run_start', thread_id: 't', run_id: 'r', identity })).toEqual({
    event_type: 'run_start',
    thread_id: 't',
    run_id: 'r',
    identity: { thread_id: 't', run_id: 'r', agent_id: 'a', origin: 'user' },
  })
})

test.each([
  ['{"event_type":"step_start"}', { event_type: 'step_start', message_id: '' }],
  ['{"event_type":"error","message":"boom","code":null}', { event_type: 'error', message: 'boom' }],
  [
    '{"event_type":"inference_complete","model":"m","usage":null,"duration_ms":0}',
    { event_type: 'inference_complete', model: 'm', duration_ms: 0 },
  ],
  [
    '{"event_type":"run_finish","thread_id":"t","run_id":"r","identity":null,"result":null,"termination":{"type":"cancelled"}}',
    { event_type: 'run_finish', thread_id: 't', run_id: 'r', termination: { type: 'cancelled' } },
  ],
  [
    '{"event_type":"tool_call_done","id":"c","result":{"tool_name":"t","status":"success","data":1,"metadata":{}}}',
    {
      event_type: 'tool_call_done',
      id: 'c',
      message_id: '',
      result: { tool_name: 't', status: 'success', data: 1, message: null },
      outcome: 'succeeded',
    },
  ],
])('fills in what may be missing: %s', (json, event) => {
  expect(parseFlat(JSON.parse(json))).toEqual(event)
})

test('drops unknown fields and keeps free values whole', () => {
  const json =
    '{"x":1,"event_type":"tool_call_ready","id":"c","name":"n","arguments":{"__proto__":{"a":1},"b":[null]},"y":2}'
  const event = parseFlat(parseJson(json))
  expect(JSON.stringify(event)).toBe(
    '{"event_type":"tool_call_ready","id":"c","name":"n","arguments":{"__proto__":{"a":1},"b":[null]}}',
  )
  expect(Object.hasOwn(Object.prototype, 'a')).toBe(false)
})

test.each([
  '{"event_type":"state_snapshot","snapshot":{"a":[1e999]}}',
  '{"event_type":"tool_call_ready","id":"c","name":"n","arguments":-1e999}',
])('refuses a number that would be written again as null: %s', (data) => {
  expect(() => framing.parse({ data })).toThrow('too large to be held')
})

test('an event of a later version says nothing', () => {
  expect(parseFlat({ event_type: 'telemetry', x: 1 })).toBeUndefined()
})

test.each([
  [null, ''],
  [[], ''],
  [{}, 'event_type'],
  [{ event_type: 'text_delta' }, 'delta'],
  [{ event_type: 'text_delta', delta: 1 }, 'delta'],
  [{ event_type: 'tool_call_ready', id: 'c', name: 'n' }, 'arguments'],
  [{ event_type: 'tool_call_done', id: 'c' }, 'result'],
  [{ event_type: 'tool_call_done', id: 'c', result: { tool_name: 't', status: 'fine' } }, 'result.status'],
  [{ event_type: 'tool_call_done', id: 'c', result: { tool_name: 't', status: 'success' }, outcome: 'x' }, 'outcome'],
  [{ event_type: 'run_finish', thread_id: 't', run_id: 'r' }, 'termination'],
  [{ event_type: 'run_finish', thread_id: 't', run_id: 'r', termination: { type: 'won' } }, 'termination.type'],
  [{ event_type: 'run_finish', thread_id: 't', run_id: 'r', termination: { type: 'stopped' } }, 'termination.value'],
  [{ event_type: 'run_start', thread_id: 't', run_id: 'r', identity: { thread_id: 't' } }, 'identity.run_id'],
  [
    {
      event_type: 'state_delta',
      delta: [
        { op: 'add', path: '/a', value: 1 },
        { op: 'grow', path: '/a' },
      ],
    },
    'delta[1].op',
  ],
  [
    { event_type: 'activity_delta', message_id: 'm', activity_type: 'a', patch: [{ op: 'move', path: '/a' }] },
    'patch[0].from',
  ],
  [{ event_type: 'activity_snapshot', message_id: 'm', activity_type: 'a', content: 1, replace: 'yes' }, 'replace'],
  [{ event_type: 'messages_snapshot', messages: 'none' }, 'messages'],
  ...[Infinity, -1, '1'].map((duration_ms): [unknown, string] => [
    { event_type: 'inference_complete', model: 'm', duration_ms },
    'duration_ms',
  ]),
  ...[-5.5, 0.5, Infinity, 2 ** 53].map((prompt_tokens): [unknown, string] => [
    { event_type: 'inference_complete', model: 'm', usage: { prompt_tokens }, duration_ms: 1 },
    'usage.prompt_tokens',
  ]),
])('refuses %j and names %s', (value, path) => {
  expect(() => parseFlat(value)).toThrow(expect.objectContaining({ code: 'invalid_value', path, protocol: 'sse' }))
})

test('a snapshot is read liberally', () => {
  const messages = [
    'nonsense',
    { role: 'User', content: 'hi' },
    { id: 'u2', role: 'user', content: [{ type: 'text', text: 'see' }, { type: 'hologram' }, 7, { type: 'text' }] },
    {
      id: 'a',
      role: 'Assistant',
      content: [
        { type: 'thinking', text: 'newer', signature: 's' },
        { type: 'tool_use', id: 'c', name: 'n', input: { a: 1 } },
        { type: 'image', source: { type: 'url', url: 'u' } },
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'd' }, title: 'T' },
        { type: 'image', source: { type: 'ftp' } },
        { type: 'search_result', source: 's', title: 't', content: [{ type: 'text', text: 'x' }] },
        { type: 'redacted' },
      ],
      tool_calls: [{ id: 'c', name: 'n', arguments: null }, {}],
      metadata: { run_id: 'r' },
    },
    { role: 'tool', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'ok' }], visibility: 'internal' },
    { role: 'tool', content: null, tool_call_id: 'c', is_error: false, denied: true },
  ]
  expect(flatMessages(messages)).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'hi' }] },
    { id: 'u2', role: 'user', content: [{ type: 'text', text: 'see' }] },
    {
      id: 'a',
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'newer' },
        { type: 'tool_use', id: 'c', name: 'n', input: { a: 1 } },
        { type: 'image', source: { type: 'url', url: 'u' } },
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'd' }, title: 'T' },
        { type: 'search_result', source: 's', title: 't', content: [{ type: 'text', text: 'x' }] },
        { type: 'redacted' },
      ],
      tool_calls: [{ id: 'c', name: 'n', arguments: null }],
    },
    {
      role: 'tool',
      content: [{ type: 'tool_result', tool_use_id: 'c', content: [{ type: 'text', text: 'ok' }], is_error: false }],
      visibility: 'internal',
    },
    { role: 'tool', content: [], tool_call_id: 'c', denied: true },
  ])
})

test('only a finish and an error end the stream', () => {
  const events: readonly FlatEvent[] = frames(
    { event_type: 'run_start', thread_id: 't', run_id: 'r' },
    { event_type: 'step_end' },
    { event_type: 'run_finish', thread_id: 't', run_id: 'r', termination: { type: 'suspended' } },
    { event_type: 'error', message: 'x' },
  )
  expect(events.map(isTerminal)).toEqual([false, false, true, true])
})
