import { isCommit } from '@factwire/core'
import { expect, test } from 'vitest'
import { openaiChat } from '../src/index.ts'
import { call, chunk, committed, data, delta, done, finish, itemsOf, outcomeOf, part, text } from './streams.ts'

const PARIS = '{"city":"Paris"}'
const ROME = '{"city":"Rome"}'
const paris = { id: 'a', name: 'weather', input: { city: 'Paris' }, executable: true }
const rome = { id: 'b', name: 'weather', input: { city: 'Rome' }, executable: true }

const calls = async (...body: string[]): Promise<readonly object[]> =>
  (await outcomeOf(body.join('') + finish('tool_calls') + done)).calls

test('row 1: calls without index are told apart by id, and fragments without either go to the latest', async () => {
  const whole = (id: string, args: string): string => call({ id, function: { name: 'weather', arguments: args } })
  expect(await calls(whole('a', PARIS), whole('b', ROME))).toEqual([paris, rome])
  expect(await calls(whole('a', '{"city":'), call({ function: { arguments: '"Paris"}' } }))).toEqual([paris])
  expect(
    await calls(
      whole('a', '{"city":'),
      whole('b', '{"city":'),
      call({ id: 'a', function: { arguments: '"Paris"}' } }),
      call({ id: 'b', function: { arguments: '"Rome"}' } }),
    ),
  ).toEqual([paris, rome])
})

test('row 1: calls of one function without index and without ids are separate calls', async () => {
  const whole = (args: string): string => call({ function: { name: 'weather', arguments: args } })
  expect(await calls(whole(PARIS), whole(ROME), whole(ROME))).toMatchObject([
    { input: paris.input },
    { input: rome.input },
    { input: rome.input },
  ])
  expect(await calls(whole(''), whole(''))).toMatchObject([{ input: {} }, { input: {} }])
})

test('row 1: a name repeated on a fragment without index and id does not tear the call apart', async () => {
  const fragment = (args: string): string => call({ function: { name: 'weather', arguments: args } })
  expect(await calls(fragment('{"city":'), fragment('"Paris"}'))).toMatchObject([{ input: paris.input }])
})

test('row 2: different ids at one index are different calls, also when they interleave', async () => {
  expect(await calls(call(part(0, PARIS, 'weather', 'a')), call(part(0, ROME, 'weather', 'b')))).toEqual([paris, rome])
  expect(
    await calls(
      call(part(0, '{"city":', 'weather', 'a')),
      call(part(0, '{"city":', 'weather', 'b')),
      call({ index: 0, id: 'a', function: { arguments: '"Paris"}' } }),
      call({ index: 0, id: 'b', function: { arguments: '"Rome"}' } }),
    ),
  ).toEqual([paris, rome])
})

test('row 2: without ids, another name and whole arguments at one index are another call', async () => {
  expect(
    await calls(call(part(0, PARIS, 'weather')), call(part(0, ROME, 'weather')), call(part(0, '{}', 'time'))),
  ).toMatchObject([
    { name: 'weather', input: paris.input },
    { name: 'weather', input: rome.input },
    { name: 'time', input: {} },
  ])
})

test('row 3: an index is a key and not a number', async () => {
  for (const [first, second] of [
    [1, 2],
    [0, 2],
    [-1, 7],
    [128, 4],
    ['0', '1'],
    ['0', 1],
  ]) {
    const body = [call(part(first, PARIS, 'weather', 'a')), call(part(second, ROME, 'weather', 'b'))]
    expect(await calls(...body)).toEqual([paris, rome])
  }
  expect(await calls(call(part(0, '{"city":', 'weather', 'a')), call(part('0', '"Paris"}')))).toEqual([paris])
})

test('rows 4 and 13: whole calls in one chunk, the finish and the usage beside them', async () => {
  const list = [
    { id: 'a', function: { name: 'weather', arguments: PARIS } },
    { id: 'b', function: { name: 'weather', arguments: ROME } },
  ]
  const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }
  const body = chunk([{ index: 0, delta: { tool_calls: list }, finish_reason: 'tool_calls' }], { usage })
  const outcome = await outcomeOf(body + done)
  expect(outcome.calls).toEqual([paris, rome])
  expect(outcome.usage).toEqual(usage)
  expect(outcome.deltas).toMatchObject([
    { id: 'a', args_delta: PARIS },
    { id: 'b', args_delta: ROME },
  ])
})

test('rows 5, 6 and 7: empty and null identity on continuations says nothing', async () => {
  for (const nothing of ['', null]) {
    const more = call({ index: 0, id: nothing, type: nothing, function: { name: nothing, arguments: PARIS } })
    expect(await calls(call(part(0, null, 'weather', 'a')), more, call({ index: 0, function: null }))).toEqual([paris])
  }
  const stray = delta({ index: 0, content: '', tool_calls: [{ index: 0, function: { name: '', arguments: PARIS } }] })
  expect(await calls(call(part(0, '', 'weather', 'a')), stray)).toEqual([paris])
})

test('row 8: a name on every fragment is not appended', async () => {
  const fragments = ['{"ci', 'ty":"Pa', 'ris"}'].map((args) => call(part(0, args, 'weather', 'a')))
  expect(await calls(...fragments)).toEqual([paris])
  const nameless = ['{"ci', 'ty":"Pa', 'ris"}'].map((args) => call(part(0, args, 'weather')))
  expect(await calls(...nameless)).toMatchObject([{ name: 'weather', input: paris.input }])
})

test('row 9: arguments wait for the name, a longer name replaces its start, another name does not', async () => {
  const late = await outcomeOf(
    call(part(0, '{"city":', undefined, 'a')) + call(part(0, '"Paris"}', 'weather')) + finish('tool_calls') + done,
  )
  expect(late.calls).toEqual([paris])
  expect(late.deltas).toMatchObject([{ name: 'weather', args_delta: PARIS, offset: 0 }])
  const longer = await outcomeOf(
    call(part(0, '', 'wea', 'a')) + call(part(0, PARIS, 'weather')) + finish('tool_calls') + done,
  )
  expect(longer.calls).toEqual([paris])
  expect(longer.deltas).toMatchObject([{ name: 'weather' }])
  expect(await calls(call(part(0, '', 'wea', 'a')), call(part(0, PARIS, 'ther')))).toMatchObject([
    { name: 'wea', input: paris.input },
  ])
})

test('row 10: cumulative arguments become suffixes', async () => {
  const states = ['{"ci', '{"city":"P', '{"city":"P', '{"city":"Paris"', PARIS, PARIS]
  const outcome = await outcomeOf(
    states.map((args) => call(part(0, args, 'weather', 'a'))).join('') + finish('tool_calls') + done,
  )
  expect(outcome.calls).toEqual([paris])
  expect(outcome.deltas.map((item) => (item.type === 'tool_call_delta' ? item.args_delta : '')).join('')).toBe(PARIS)
  expect(outcome.deltas.length).toBeGreaterThan(2)
})

test('row 10: two cumulative states are told from nesting by what is complete', async () => {
  expect(await calls(call(part(0, '{"city":', 'weather', 'a')), call(part(0, PARIS)))).toEqual([paris])
  expect(
    await calls(call(part(0, '{"city":', 'weather', 'a')), call(part(0, '{"city":"Paris"}')), call(part(0, '}'))),
  ).toMatchObject([{ input: { city: { city: 'Paris' } } }])
  expect(await calls(call(part(0, '{"city":', 'weather', 'a')), call(part(0, '{"city":"Paris"}}')))).toMatchObject([
    { input: { city: { city: 'Paris' } } },
  ])
})

test('row 10: equal fragments are both part of the arguments', async () => {
  const body = [call(part(0, '{"n":1', 'count', 'a')), call(part(0, '00')), call(part(0, '00')), call(part(0, '}'))]
  expect(await calls(...body)).toMatchObject([{ input: { n: 10000 } }])
  const spaces = [call(part(0, '{"n":"', 'count', 'a')), call(part(0, '  ')), call(part(0, '  ')), call(part(0, '"}'))]
  expect(await calls(...spaces)).toMatchObject([{ input: { n: '    ' } }])
})

test('row 10: the option reads fragments as suffixes or as wholes without looking', async () => {
  const states = (...list: string[]): string[] => [
    ...list.map((args) => call(part(0, args, 'weather', 'a'))),
    finish('tool_calls'),
    done,
  ]
  const read = (toolArguments: 'suffix' | 'cumulative', ...list: string[]): object | undefined =>
    committed(itemsOf(states(...list), { toolArguments })).messages[0]?.content[0]
  expect(read('cumulative', '{', '{"city":', PARIS)).toMatchObject({ input: paris.input })
  expect(read('cumulative', '{"a":1}', PARIS)).toMatchObject({ input: paris.input })
  expect(read('suffix', '{"a":', '{"a":1}', '}')).toMatchObject({ input: { a: { a: 1 } } })
  expect(read('suffix', PARIS, PARIS)).toMatchObject({ input: null, raw_input: PARIS + PARIS })
})

test('row 11: complete arguments sent again are dropped, however they are spaced', async () => {
  const body = [call(part(0, '{"city":', 'weather', 'a')), call(part(0, '"Paris"}'))]
  expect(await calls(...body, call(part(0, PARIS)))).toEqual([paris])
  expect(await calls(...body, call(part(0, '{ "city": "Paris" }', 'weather', 'a')))).toEqual([paris])
  expect(await calls(...body, call(part(0, PARIS, 'weather')))).toEqual([paris])
})

test('row 12: an object is the whole of the arguments', async () => {
  expect(await calls(call(part(0, { city: 'Paris' }, 'weather', 'a')))).toEqual([paris])
  expect(await calls(call(part(0, {}, 'weather', 'a')), call(part(0, { city: 'Paris' })))).toEqual([paris])
  const outcome = await outcomeOf(call(part(0, { city: 'Paris' }, 'weather', 'a')) + finish('tool_calls') + done)
  expect(outcome.deltas.map((item) => (item.type === 'tool_call_delta' ? item.args_delta : '')).join('')).toBe(PARIS)
})

test('an object with a number that is too large to be held cannot be run', async () => {
  const huge = call(part(0, { n: 1 }, 'weather', 'a')).replace('{"n":1}', '{"n":1e999}')
  expect(await calls(huge)).toMatchObject([{ input: null, executable: false }])
})

test('an empty object that only keeps the place of the arguments is replaced', async () => {
  expect(
    await calls(call(part(0, '{}', 'weather', 'a')), call(part(0, '{"city":')), call(part(0, '"Paris"}'))),
  ).toEqual([paris])
  expect(await calls(call(part(0, {}, 'weather', 'a')), call(part(0, '{"city":')), call(part(0, '"Paris"}')))).toEqual([
    paris,
  ])
})

test('row 14: no arguments are an empty object without raw text', async () => {
  for (const args of ['', null, undefined, '{}']) {
    expect(await calls(call(part(0, args, 'now', 'a')))).toEqual([
      { id: 'a', name: 'now', input: {}, executable: true },
    ])
  }
})

test('row 15: arguments that are no JSON keep their text, have a result at once and are not run', async () => {
  const outcome = await outcomeOf(
    call(part(0, '{"city":', 'weather', 'a')) + call(part(1, ROME, 'weather', 'b')) + finish('tool_calls') + done,
  )
  expect(outcome.calls).toEqual([{ id: 'a', name: 'weather', input: null, raw: '{"city":', executable: false }, rome])
  expect(outcome.facts.find(({ type }) => type === 'tool_result')).toMatchObject({ id: 'a', is_error: true })
  expect(outcome.facts.at(-1)).toMatchObject({
    type: 'awaiting',
    pending_tool_use_id: 'b',
    pending: [{ tool_use_id: 'b', kind: 'client' }],
  })
})

test('row 15: when no call can be run the client still has its turn, with nothing to run', async () => {
  const outcome = await outcomeOf(call(part(0, 'city=Paris', 'weather', 'a')) + finish('tool_calls') + done)
  expect(outcome.facts.at(-1)).toEqual({ type: 'awaiting', pending_tool_use_id: null, pending: [] })
})

test('raw text is kept wherever it is not what JSON.stringify gives', async () => {
  const raws = ['{"n":12345678901234567890}', '{"a":1,"a":2}', '{ "a": 1 }', '{"a":1}\n', '  ']
  for (const raw of raws) expect(await calls(call(part(0, raw, 'f', 'a')))).toMatchObject([{ raw, executable: true }])
  expect(await calls(call(part(0, '{"__proto__":{"x":1}}', 'f', 'a')))).toEqual([
    { id: 'a', name: 'f', input: JSON.parse('{"__proto__":{"x":1}}'), executable: true },
  ])
})

test('arguments that nest too deep are not run', async () => {
  const raw = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  expect(await calls(call(part(0, raw, 'f', 'a')))).toMatchObject([{ input: null, raw, executable: false }])
})

test('row 16: an id that never comes is minted from the id of the message', async () => {
  for (const id of [undefined, '']) {
    const minted = await calls(call(part(0, PARIS, 'weather', id)), call(part(1, ROME, 'weather', id)))
    expect(minted).toMatchObject([{ id: 'call_chatcmpl-1_0' }, { id: 'call_chatcmpl-1_1' }])
  }
})

test('row 16: an id that comes before the arguments is used', async () => {
  expect(
    await calls(call(part(0, '', 'weather')), call({ index: 0, id: 'a', function: { arguments: PARIS } })),
  ).toEqual([paris])
})

test('row 17: an id that the thread has already gets a number, and so does one that comes twice', async () => {
  const body = call(part(0, PARIS, 'weather', 'a')) + call(part(1, ROME, 'weather', 'a')) + finish('tool_calls') + done
  expect((await outcomeOf(body)).calls.map(({ id }) => id)).toEqual(['a', 'a-2'])
  expect((await outcomeOf(body, { usedCallIds: ['a', 'a-2'] })).calls.map(({ id }) => id)).toEqual(['a-3', 'a-4'])
  const noIndex = [PARIS, ROME].map((args) => call({ id: 'a', function: { name: 'weather', arguments: args } }))
  expect(await calls(...noIndex)).toMatchObject([
    { id: 'a', input: paris.input },
    { id: 'a-2', input: rome.input },
  ])
})

test('row 18: the signature of a call stands before it', () => {
  const extra = { extra_content: { google: { thought_signature: 'sig-a' } } }
  const vertex = { extra_content: { vertex: { thought_signature: 'sig-b' } } }
  const items = itemsOf([
    call({ ...part(0, PARIS, 'weather', 'a'), ...extra }),
    call({ ...part(1, ROME, 'weather', 'b'), ...vertex }),
    finish('stop'),
    done,
  ])
  expect(committed(items).messages[0]?.content).toMatchObject([
    { type: 'thinking', text: '', signature: 'sig-a' },
    { type: 'tool_use', id: 'a' },
    { type: 'thinking', text: '', signature: 'sig-b' },
    { type: 'tool_use', id: 'b' },
  ])
})

test('calls that interleave keep their own arguments and their order', async () => {
  const outcome = await outcomeOf(
    call(part(0, '{"city":', undefined, 'a')) +
      call(part(1, '{"city":', 'weather', 'b')) +
      text('Looking.') +
      call(part(0, '"Paris"}', 'weather')) +
      call(part(1, '"Rome"}')) +
      finish('tool_calls') +
      done,
  )
  expect(outcome.calls).toEqual([paris, rome])
  expect(
    outcome.deltas.map((item) => (item.type === 'tool_call_delta' ? item.id + item.args_delta : item.type)),
  ).toEqual(['text_delta', `a${PARIS}`, 'b{"city":', 'b"Rome"}'])
})

test('an id that differs on a continuation without a name changes nothing', async () => {
  const all = call({ index: 0, id: 'other', function: { arguments: PARIS } })
  expect(await calls(call(part(0, '', 'weather', 'a')), all)).toEqual([paris])
  const more = call({ index: 0, id: 'other', function: { arguments: '"Paris"}' } })
  expect(await calls(call(part(0, '{"city":', 'weather', 'a')), more)).toEqual([paris])
})

test('noise in place of calls is no call', async () => {
  const outcome = await outcomeOf(
    delta({ tool_calls: [] }) +
      delta({ tool_calls: null }) +
      delta({ tool_calls: [null, 1, {}] }) +
      text('Hi') +
      finish('stop') +
      done,
  )
  expect(outcome).toMatchObject({ text: 'Hi', calls: [], finish: 'stop' })
})

test('a call whose name never comes is no success', async () => {
  const outcome = await outcomeOf(call(part(0, PARIS, undefined, 'a')) + finish('stop') + done)
  expect(outcome).toMatchObject({ calls: [], finish: 'error', error: { code: 'invalid_tool_call' } })
})

test('the form before tool_calls is one call without id', async () => {
  const outcome = await outcomeOf(
    delta({ function_call: { name: 'weather', arguments: '' } }) +
      delta({ function_call: { arguments: '{"city":' } }) +
      delta({ function_call: { arguments: '"Paris"}' } }) +
      finish('function_call') +
      done,
  )
  expect(outcome).toMatchObject({ finish: 'tool_calls', calls: [{ name: 'weather', input: paris.input }] })
})

test('the input of a custom tool is text, in suffixes whatever it looks like', async () => {
  for (const pieces of [
    ['select ', '"1"'],
    ['{"a":1}', '{"a":1}'],
    ['{', '{x', '{xy'],
  ]) {
    const input = pieces.join('')
    const begin = call({ index: 0, id: 'a', type: 'custom', custom: { name: 'sql', input: '' } })
    const body = pieces.map((piece) => call({ index: 0, custom: { input: piece } }))
    expect(await calls(begin, ...body)).toEqual([{ id: 'a', name: 'sql', input, raw: input, executable: true }])
  }
})

test('arguments that were cut by length are committed and cannot be run', async () => {
  for (const reason of ['length', 'content_filter']) {
    const outcome = await outcomeOf(call(part(0, '{"city":"Pa', 'weather', 'a')) + finish(reason) + done)
    expect(outcome).toMatchObject({
      finish: reason,
      calls: [{ id: 'a', input: null, raw: '{"city":"Pa', executable: false }],
    })
  }
})

test('calls of a stream that failed are committed and cannot be run', async () => {
  const outcome = await outcomeOf(call(part(0, PARIS, 'weather', 'a')) + data({ error: { message: 'boom' } }))
  expect(outcome).toMatchObject({ finish: 'error', calls: [{ ...paris, executable: false }] })
})

test('arguments in very many fragments are read in time', async () => {
  const fragments = ['{"text":"', ...Array.from({ length: 60_000 }, () => 'xy {'), '"}']
  const items = itemsOf([...fragments.map((args) => call(part(0, args, 'write', 'a'))), finish('tool_calls'), done])
  expect(committed(items).messages[0]?.content).toEqual([
    { type: 'tool_use', id: 'a', name: 'write', input: { text: 'xy {'.repeat(60_000) } },
  ])
})

test('whole values without end, which are no arguments, are read in time', async () => {
  const fragments = Array.from({ length: 30_000 }, (_, turn) => call(part(0, `{"a":${turn}}`, undefined, 'a')))
  const items = itemsOf([call(part(0, '', 'f', 'a')), ...fragments, finish('tool_calls'), done])
  expect(committed(items)).toMatchObject({ pending: [], messages: [{ content: [{ input: null }] }, { role: 'tool' }] })
})

test('very many calls, with a finish on every chunk, are read in time', () => {
  const chunks = (name: string | undefined): string[] =>
    Array.from({ length: 30_000 }, (_, number) =>
      chunk([
        { index: 0, delta: { tool_calls: [part(number, PARIS, name, `c${number}`)] }, finish_reason: 'tool_calls' },
      ]),
    )
  for (const [name, count] of [
    ['weather', 30_000],
    [undefined, 0],
  ] as const) {
    const decoder = openaiChat.decoder()
    let shown = 0
    for (const message of chunks(name))
      shown += decoder.push(JSON.parse(message.slice('data: '.length))).filter((item) => !isCommit(item)).length
    expect(shown).toBe(count)
  }
})

test('text without end after whole arguments is read in time', async () => {
  const long = JSON.stringify({ text: 'x'.repeat(300_000) })
  const noise = Array.from({ length: 20_000 }, () => call(part(0, '1')))
  const outcome = committed(itemsOf([call(part(0, long, 'f', 'a')), ...noise, finish('tool_calls'), done]))
  expect(outcome).toMatchObject({
    pending: [],
    messages: [{ content: [{ raw_input: long + '1'.repeat(20_000) }] }, {}],
  })
})

test('a call whose name comes after the finish is shown and can be run', async () => {
  const late = call(part(0, '{"city":', undefined, 'a')) + finish('tool_calls') + call(part(0, '', 'weather'))
  const outcome = await outcomeOf(
    late + call(part(1, ROME, 'weather', 'b')) + call(part(0, '"Paris"}')) + finish('tool_calls'),
  )
  expect(outcome).toMatchObject({ finish: 'tool_calls', calls: [paris, rome] })
  expect(outcome.deltas.map((delta) => delta.type === 'tool_call_delta' && [delta.id, delta.args_delta])).toEqual([
    ['a', '{"city":'],
    ['b', ROME],
    ['a', '"Paris"}'],
  ])
})
