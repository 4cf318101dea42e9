/**
 * What the provider can play. The `model` of a request names the scene, the thread says how far it has come.
 *
 * A scene has a list for each round of calls that the thread holds; a request of the same round gets the next reply of its list, and
 * the last one again when there is none.
 */
import { answer, cut, done, hang, raw, type Reply, refusal, send, stream, wait, words } from './reply.ts'
import { call, error, finish, more, role, text, thought, usage } from './wire.ts'

export type Scene = readonly (readonly Reply[])[]

const lookUp = [call(0, 'call_a', 'look_up', '{"city":'), more(0, '"Oslo"}')]
const remove = [call(0, 'call_r', 'remove', '{"path":'), more(0, '"/tmp/x"}')]
const after: readonly Reply[] = [words('It is ', 'done.')]

export const scenes = {
  text: [[words('Hel', 'lo ', '🌍', '.')]],
  reasoning: [[answer('stop', thought('The user '), thought('greets.'), text('Hello.'))]],
  // Two calls whose arguments come in turns, beside some text.
  'parallel-tools': [
    [
      answer(
        'tool_calls',
        text('Let me see.'),
        call(0, 'call_a', 'look_up'),
        call(1, 'call_b', 'look_up'),
        more(0, '{"city":'),
        more(1, '{"city":"Ro'),
        more(0, '"Oslo"}'),
        more(1, 'me"}'),
      ),
    ],
    after,
  ],
  approval: [[answer('tool_calls', text('I will remove it.'), ...remove)], after],
  // One that runs, two that wait for a yes, one for the client.
  mixed: [
    [
      answer(
        'tool_calls',
        call(0, 'call_a', 'look_up', '{"city":"Oslo"}'),
        call(1, 'call_r', 'remove', '{"path":"/tmp/x"}'),
        call(2, 'call_s', 'remove', '{"path":"/tmp/y"}'),
        call(3, 'call_c', 'choose', '{"of":["red","blue"]}'),
      ),
    ],
    after,
  ],
  'client-tool': [
    [answer('tool_calls', text('Which?'), call(0, 'call_c', 'choose', '{"of":["red",'), more(0, '"blue"]}'))],
    after,
  ],
  'many-rounds': [
    [answer('tool_calls', ...lookUp)],
    [answer('tool_calls', ...lookUp)],
    [answer('tool_calls', ...lookUp)],
  ],
  'repeated-ids': [
    [
      answer(
        'tool_calls',
        call(0, 'call_0', 'look_up', '{"city":"Oslo"}'),
        call(1, 'call_0', 'look_up', '{"city":"Rome"}'),
      ),
    ],
    [answer('tool_calls', call(0, 'call_0', 'look_up', '{"city":"Bern"}'))],
    after,
  ],
  'malformed-arguments': [[answer('tool_calls', call(0, 'call_a', 'look_up', '{"city":"Os'))], after],
  'no-object': [[answer('tool_calls', call(0, 'call_a', 'look_up', '"Oslo"'))], after],
  'no-arguments': [[answer('tool_calls', call(0, 'call_n', 'now'))], after],
  'unknown-tool': [[answer('tool_calls', call(0, 'call_u', 'fly', '{}'))], after],
  'invented-name': [[answer('tool_calls', call(0, 'call_u', 'my tool!', '{}'))], after],
  'failing-tool': [[answer('tool_calls', call(0, 'call_f', 'fail', '{}'))], after],
  'hanging-tool': [[answer('tool_calls', call(0, 'call_h', 'hang', '{}'))], after],
  'no-mark': [[stream(send(role(), text('Hello.'), finish('stop')))]],
  slow: [
    [
      stream(
        send(role(), text('Wait ')),
        wait(40),
        raw(': keep-alive\n\n'),
        wait(40),
        send(text('for it.'), finish('stop')),
        done,
      ),
    ],
  ],
  // ── Faults before the first word ──
  'rate-limited': [[refusal(429, 'rate_limit_exceeded', 'slow down', { 'retry-after': '1' }), words('Here.')]],
  'server-error': [[refusal(500, 'server_error', 'oops'), refusal(503, 'overloaded', 'no room'), words('Here.')]],
  'always-failing': [[refusal(500, 'server_error', 'oops')]],
  unauthorized: [[refusal(401, 'invalid_api_key', 'wrong key')]],
  'too-long': [[refusal(400, 'context_length_exceeded', 'maximum context length is 8192 tokens')]],
  'no-quota': [[refusal(429, 'insufficient_quota', 'you have no credit')]],
  markup: [
    [
      { status: 502, headers: { 'content-type': 'text/html' }, moves: [raw('<html>Bad Gateway</html>')] },
      words('Here.'),
    ],
  ],
  empty: [[stream(), words('Here.')]],
  'silent-at-first': [[stream(hang), words('Here.')]],
  'cut-at-first': [[stream(cut), words('Here.')]],
  // ── Faults behind it ──
  'cut-text': [[stream(send(role(), text('Once upon '), text('a ti')), cut), words('me, a fox', ' slept.')]],
  'cut-always': [[stream(send(role(), text('Once ')), cut)]],
  'cut-thought': [[stream(send(role(), thought('Let me think')), cut), answer('stop', thought('Ah.'), text('Yes.'))]],
  'cut-in-call': [
    [stream(send(role(), call(0, 'call_a', 'look_up', '{"ci')), cut), answer('tool_calls', ...lookUp)],
    after,
  ],
  'cut-text-in-call': [
    [
      stream(send(role(), text('I look. '), call(0, 'call_a', 'look_up', '{"ci')), cut),
      answer('tool_calls', text('Now.'), ...lookUp),
    ],
    after,
  ],
  'cut-after-call': [[stream(send(role(), ...lookUp, call(1, 'call_r', 'remove', '{"pa')), cut)], after],
  'silent-text': [[stream(send(role(), text('Once upon ')), hang), words('a time.')]],
  'error-in-band': [[stream(send(role(), text('Once upon '), error('server_error', 'worker died'))), words('a time.')]],
  'refused-in-band': [[stream(send(role(), text('Once upon '), error('invalid_request_error', 'no such thing')))]],
  'cut-by-length': [[answer('length', text('Once '), call(0, 'call_a', 'look_up', '{"ci'))]],
  filtered: [[answer('content_filter', text('Once '))]],
  garbage: [[stream(send(role(), text('Once ')), raw('data: {"choices": nonsense\n\n')), words('upon a time.')]],
  'unknown-finish': [[answer('wondered', text('Once ')), words('upon a time.')]],
  'cost-only': [[stream(send(usage(3, 0)), done), words('Here.')]],
} as const satisfies Readonly<Record<string, Scene>>

export type SceneName = keyof typeof scenes
