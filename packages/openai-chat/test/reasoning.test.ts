import { expect, test } from 'vitest'
import { committed, delta, done, finish, itemsOf, outcomeOf, text } from './streams.ts'

const read = (...body: string[]) => outcomeOf(body.join('') + finish('stop') + done)

test('row 33: reasoning_content is reasoning', async () => {
  const outcome = await read(
    delta({ reasoning_content: 'Hm' }),
    delta({ reasoning_content: '…' }),
    delta({ content: 'Yes', reasoning_content: null }),
  )
  expect(outcome).toMatchObject({ reasoning: 'Hm…', text: 'Yes' })
  expect(outcome.deltas).toMatchObject([
    { type: 'reasoning_delta', delta: 'Hm', offset: 0, message_id: 'chatcmpl-1' },
    { type: 'reasoning_delta', delta: '…', offset: 2 },
    { type: 'text_delta', delta: 'Yes', offset: 0 },
  ])
})

test('row 34: of several fields with the same words one counts', async () => {
  const details = [{ type: 'reasoning.text', text: 'a', index: 0 }]
  expect(await read(delta({ reasoning: 'a' }))).toMatchObject({ reasoning: 'a' })
  expect(await read(delta({ reasoning_content: 'a', reasoning: 'a', reasoning_details: details }))).toMatchObject({
    reasoning: 'a',
  })
  expect(await read(delta({ reasoning_content: '', reasoning: 'a' }))).toMatchObject({ reasoning: 'a' })
})

test('the first word of the answer may stand beside reasoning', async () => {
  expect(await read(delta({ reasoning: 'b', content: 'A' }), text('B'))).toMatchObject({ reasoning: 'b', text: 'AB' })
})

test('row 35: details alone are reasoning, by index, with signature and encrypted data', () => {
  const items = itemsOf([
    delta({ reasoning_details: [{ type: 'reasoning.text', text: 'one ', index: 0 }] }),
    delta({ reasoning_details: [{ type: 'reasoning.text', text: 'two', index: 0 }] }),
    delta({ reasoning_details: [{ type: 'reasoning.text', signature: 'old', index: 0 }] }),
    delta({ reasoning_details: [{ type: 'reasoning.summary', summary: 'sum', index: 1 }] }),
    delta({ reasoning_details: [{ type: 'reasoning.text', signature: 'sig', index: 0 }] }),
    delta({ reasoning_details: [{ type: 'reasoning.encrypted', data: 'xxx', index: 2 }] }),
    finish('stop'),
    done,
  ])
  expect(committed(items).messages[0]?.content).toEqual([
    { type: 'thinking', text: 'one two', signature: 'sig' },
    { type: 'thinking', text: 'sum' },
    { type: 'thinking', text: '', encrypted: 'xxx' },
  ])
})

test('row 35: details beside the same reasoning give their signature only', () => {
  const items = itemsOf([
    delta({ reasoning: 'Hm', reasoning_details: [{ text: 'Hm', index: 0 }] }),
    delta({ reasoning: null, reasoning_details: [{ signature: 'sig', index: 0 }] }),
    finish('stop'),
    done,
  ])
  expect(committed(items).messages[0]?.content).toEqual([{ type: 'thinking', text: 'Hm', signature: 'sig' }])
})

test('row 35: details that say something else than the field do not add to it', async () => {
  expect(await read(delta({ reasoning: 'ab', reasoning_details: [{ text: 'a', index: 0 }] }))).toMatchObject({
    reasoning: 'ab',
  })
})

test('row 36: parts of content are split', async () => {
  const thinking = (words: string): string =>
    delta({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: words }] }] })
  const parts = delta({
    content: [
      { type: 'thinking', thinking: 'c' },
      { type: 'text', text: 'A' },
      { type: 'reference', reference_ids: [1] },
      'B',
    ],
  })
  expect(await read(thinking('a'), thinking('b'), parts, text('C'))).toMatchObject({ reasoning: 'abc', text: 'ABC' })
  expect(await read(delta({ content: { type: 'text', text: 'A' } }))).toMatchObject({ text: 'A' })
})

const tagged = (...fragments: string[]): string => fragments.map(text).join('') + finish('stop') + done

test('row 37: think tags are text unless asked for', async () => {
  expect(await outcomeOf(tagged('<think>a</think>b'))).toMatchObject({ text: '<think>a</think>b', reasoning: '' })
})

test('row 37: think tags are split however they are cut', async () => {
  const whole = '\n<think>a < b</thin k></think>\nAnswer <think>x</think>'
  for (let size = 1; size <= whole.length; size++) {
    const fragments = whole.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
    expect(await outcomeOf(tagged(...fragments), { thinkTags: 'split' })).toMatchObject({
      reasoning: 'a < b</thin k>',
      text: '\nAnswer <think>x</think>',
    })
  }
})

test('row 37: text that only looks like the start of a tag is text', async () => {
  for (const words of ['<thin', '<', '  ', '<thing>', ' a<think>b</think>']) {
    for (const fragments of [[words], words.split('')]) {
      expect(await outcomeOf(tagged(...fragments), { thinkTags: 'split' })).toMatchObject({
        text: words,
        reasoning: '',
      })
    }
  }
})

test('row 37: a tag that the prompt opened', async () => {
  for (const words of ['a</think>b', '<think>a</think>b']) {
    for (const fragments of [[words], words.split('')]) {
      expect(await outcomeOf(tagged(...fragments), { thinkTags: 'opened' })).toMatchObject({
        reasoning: 'a',
        text: 'b',
      })
    }
  }
  expect(await outcomeOf(tagged('a </thi'), { thinkTags: 'opened' })).toMatchObject({ reasoning: 'a </thi', text: '' })
})

test('row 37: tags are a copy where reasoning has a field of its own', async () => {
  const body = delta({ reasoning_content: 'a', content: '<think>a' }) + text('</think>b') + finish('stop') + done
  expect(await outcomeOf(body, { thinkTags: 'split' })).toMatchObject({ reasoning: 'a', text: 'b' })
})

test('row 38: a channel is ignored', async () => {
  expect(await read(delta({ channel: 'analysis', reasoning: 'a' }), text('A'))).toMatchObject({
    reasoning: 'a',
    text: 'A',
  })
})

test('row 39: repeated fragments are dropped only when asked for', async () => {
  const body =
    delta({ reasoning_content: 'a' }) +
    delta({ reasoning_content: 'a' }) +
    text('before') +
    text('ha') +
    text('ha') +
    finish('stop') +
    done
  expect(await outcomeOf(body)).toMatchObject({ reasoning: 'aa', text: 'beforehaha' })
  expect(await outcomeOf(body, { dropRepeats: true })).toMatchObject({ reasoning: 'a', text: 'beforeha' })
  expect(await outcomeOf(body, { dropRepeats: true, previousText: 'before' })).toMatchObject({
    reasoning: 'a',
    text: 'ha',
  })
})

test('row 57: thinking blocks are details of another name, other extras are ignored', () => {
  const items = itemsOf([
    delta({
      reasoning_content: 'a',
      thinking_blocks: [{ type: 'thinking', thinking: 'a' }],
      provider_specific_fields: { x: 1 },
    }),
    delta({ thinking_blocks: [{ type: 'thinking', thinking: '', signature: 'sig' }] }),
    text('A'),
    finish('stop'),
    done,
  ])
  expect(committed(items).messages[0]?.content).toEqual([
    { type: 'thinking', text: 'a', signature: 'sig' },
    { type: 'text', text: 'A' },
  ])
})

test('row 18: a signature of the message belongs to its reasoning', () => {
  const items = itemsOf([
    text('A'),
    delta({ extra_content: { google: { thought_signature: 'sig' } } }),
    finish('stop'),
    done,
  ])
  expect(committed(items).messages[0]?.content).toEqual([
    { type: 'thinking', text: '', signature: 'sig' },
    { type: 'text', text: 'A' },
  ])
})

test('reasoning that resumes after text goes on where it was', async () => {
  const outcome = await read(delta({ reasoning: 'a' }), text('A'), delta({ reasoning: 'b' }), text('B'))
  expect(outcome).toMatchObject({ reasoning: 'ab', text: 'AB' })
})
