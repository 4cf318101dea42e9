import { expect, test } from 'vitest'
import { checkGrammar, drawMachine, type Grammar, STREAM_OVER } from '../src/grammar.ts'

/** A door that is opened and shut by name, in a house that is entered and left. */
type Frame =
  | { readonly type: 'enter' | 'leave' | 'burn' | 'look' | 'paint' }
  | { readonly type: 'open' | 'shut' | 'wedge' | 'draught'; readonly door: string }

const house: Grammar<Frame> = {
  machines: {
    run: {
      initial: 'outside',
      states: {
        outside: { on: { enter: 'inside' }, otherwise: 'enter-first' },
        inside: {
          on: { use: 'inside', leave: 'left', burn: 'burnt', [STREAM_OVER]: { breaks: 'leave-at-last' } },
          otherwise: 'enter-once',
          rest: true,
        },
        left: { on: { [STREAM_OVER]: 'left' }, otherwise: 'nothing-after', end: 'finished' },
        burnt: { on: { [STREAM_OVER]: 'burnt' }, otherwise: 'nothing-after', end: 'failed', deaf: true },
      },
    },
    door: {
      initial: 'shut',
      states: {
        shut: { on: { open: 'open', leave: 'shut', paint: 'painted', wedge: 'shut' }, otherwise: 'door-open' },
        open: {
          on: { shut: 'shut', leave: { breaks: 'doors-shut', to: 'shut' }, wedge: { breaks: 'one-wedge' } },
          otherwise: 'door-once',
        },
        painted: { on: { open: { breaks: 'wet' }, [STREAM_OVER]: { breaks: 'dry-at-last' } } },
      },
    },
  },
  rules: {
    'enter-first': { says: 'Nothing is done from outside.', force: 'rejected', see: 'the house' },
    'enter-once': { says: 'Who is inside does not enter.', force: 'rejected', see: 'the house' },
    'leave-at-last': { says: 'Whoever enters leaves.', force: 'demanded', see: 'the house' },
    'nothing-after': { says: 'Nothing is done after leaving.', force: 'rejected', see: 'the house' },
    'door-open': { says: 'Only an open door is shut.', force: 'rejected', see: 'the house' },
    'door-once': { says: 'An open door is not opened.', force: 'warned', see: 'the house' },
    'one-wedge': { says: 'No other door is open when one is wedged.', force: 'demanded', see: 'the house' },
    wet: { says: 'A painted door is not opened.', force: 'warned', see: 'the house' },
    'dry-at-last': { says: 'Paint dries before the end.', force: 'demanded', see: 'the house' },
    'doors-shut': { says: 'Doors are shut before leaving.', force: 'warned', see: 'the house' },
  },
  moves(frame) {
    switch (frame.type) {
      case 'enter':
      case 'burn':
        return [{ machine: 'run', input: frame.type }]
      case 'leave':
        return [
          { machine: 'door', input: 'leave', every: true },
          { machine: 'run', input: 'leave' },
        ]
      case 'look':
        return [{ machine: 'run', input: 'use' }]
      case 'paint':
        return [{ machine: 'door', input: 'paint', every: true }]
      case 'wedge':
        return [{ machine: 'door', input: 'wedge', key: frame.door, every: true }]
      case 'draught': {
        const open = { machine: 'door', key: frame.door, states: ['open'] }
        return [{ machine: 'door', input: 'shut', key: 'hall', when: open }]
      }
      case 'open':
      case 'shut':
        return [
          { machine: 'run', input: 'use' },
          { machine: 'door', key: frame.door, input: frame.type },
        ]
    }
  },
}

const breaches = (...frames: Frame[]): string[] => {
  const check = checkGrammar(house)
  return [...frames.flatMap((frame) => check.push(frame)), ...check.end()].map(({ rule, frame }) => `${frame} ${rule}`)
}
const enter: Frame = { type: 'enter' }
const leave: Frame = { type: 'leave' }

test('a legal stream breaks no rule', () => {
  expect(breaches(enter, { type: 'open', door: 'red' }, { type: 'shut', door: 'red' }, leave)).toEqual([])
})

test('each item has its own state', () => {
  expect(breaches(enter, { type: 'open', door: 'red' }, { type: 'shut', door: 'blue' }, leave)).toEqual([
    '2 door-open',
    '3 doors-shut',
  ])
})

test('a breach says the rule, the item, its state and what it was told', () => {
  const check = checkGrammar(house)
  check.push(enter)
  check.push({ type: 'open', door: 'red' })
  expect(check.push({ type: 'open', door: 'red' })).toEqual([
    {
      rule: 'door-once',
      says: 'An open door is not opened.',
      see: 'the house',
      force: 'warned',
      frame: 2,
      item: 'door red',
      state: 'open',
      input: 'open',
    },
  ])
})

test('an item stays as it is after a breach, unless the grammar says where it goes', () => {
  expect(breaches(enter, enter, leave)).toEqual(['1 enter-once'])
  expect(breaches(enter, { type: 'open', door: 'red' }, leave, leave)).toEqual(['2 doors-shut', '3 nothing-after'])
})

test('a stream that just stops breaks the rule that it must end', () => {
  expect(breaches(enter)).toEqual(['1 leave-at-last'])
  expect(breaches(enter, { type: 'burn' })).toEqual([])
})

test('what all items are told, those hear too that are named later', () => {
  expect(breaches(enter, { type: 'paint' }, { type: 'open', door: 'red' }, { type: 'burn' })).toEqual(['2 wet'])
})

test('all items but one can be told', () => {
  const red: Frame = { type: 'open', door: 'red' }
  const wedge = (door: string): Frame => ({ type: 'wedge', door })
  expect(breaches(enter, red, wedge('red'), wedge('blue'), { type: 'shut', door: 'red' }, leave)).toEqual([
    '3 one-wedge',
  ])
})

test('an item can be told something only while another is in some state', () => {
  const open = (door: string): Frame => ({ type: 'open', door })
  const draught: Frame = { type: 'draught', door: 'red' }
  expect(breaches(enter, open('hall'), draught, open('hall'), { type: 'burn' })).toEqual(['3 door-once'])
  expect(breaches(enter, open('hall'), open('red'), draught, open('hall'), { type: 'burn' })).toEqual([])
})

test('an item hears of the end where its state has something to say to it, unless nobody reads on', () => {
  const shut: readonly Frame[] = [enter, { type: 'open', door: 'red' }, { type: 'shut', door: 'red' }]
  expect(breaches(...shut, { type: 'paint' }, leave)).toEqual(['5 dry-at-last'])
  expect(breaches(...shut, { type: 'paint' }, { type: 'burn' })).toEqual([])
})

test('where nobody reads on, only the run is moved', () => {
  expect(breaches(enter, { type: 'burn' }, { type: 'shut', door: 'red' })).toEqual(['2 nothing-after'])
})

test('names of items and inputs reach no prototype', () => {
  expect(breaches(enter, { type: 'open', door: '__proto__' }, { type: 'shut', door: 'constructor' }, leave)).toEqual([
    '2 door-open',
    '3 doors-shut',
  ])
})

test('it knows how the run ended, and where nothing is open', () => {
  const check = checkGrammar(house)
  check.push(enter)
  expect(check.atRest()).toBe(true)
  check.push({ type: 'open', door: 'red' })
  expect(check.atRest()).toBe(false)
  check.push({ type: 'shut', door: 'red' })
  expect(check.atRest()).toBe(true)
  expect(check.ended()).toBeUndefined()
  check.push(leave)
  expect(check.atRest()).toBe(false)
  expect(check.ended()).toBe('finished')
})

test('a grammar that names what it does not have is a mistake of its author', () => {
  const broken: Grammar<Frame> = { ...house, rules: {} }
  expect(() => checkGrammar(broken).push(leave)).toThrow(new TypeError('The grammar has no rule enter-first'))
})

test('a machine is drawn with its transitions and ends', () => {
  expect(drawMachine(house.machines.run)).toBe(
    [
      'stateDiagram-v2',
      '  [*] --> outside',
      '  outside --> inside: enter',
      '  inside --> inside: use',
      '  inside --> left: leave',
      '  inside --> burnt: burn',
      '  left --> left: stream_over',
      '  left --> [*]: finished',
      '  burnt --> burnt: stream_over',
      '  burnt --> [*]: failed',
    ].join('\n'),
  )
})

/** Keys hang on boards, and whoever takes one from a board leaves the others there to nobody else. */
type KeyFrame = { readonly does: 'take' | 'clear' | 'clear all'; readonly board: string; readonly key: string }

const boards: Grammar<KeyFrame> = {
  machines: {
    run: { initial: 'on', states: { on: { on: {}, rest: true } } },
    key: {
      initial: 'free',
      states: {
        free: { on: { take: 'taken', leave: 'locked' } },
        taken: { on: { clear: 'free' } },
        locked: { on: { take: { breaks: 'one-key' }, clear: 'free' } },
      },
    },
    guest: { initial: 'in', states: { in: { on: { go: { breaks: 'no-key-out' } } } } },
  },
  rules: {
    'one-key': { says: 'One key is taken from a board.', force: 'rejected', see: 'the boards' },
    'no-key-out': { says: 'Nobody goes with the red key of board 1.', force: 'warned', see: 'the boards' },
  },
  moves({ does, board: group, key }) {
    if (does !== 'take') {
      return [{ machine: 'key', input: 'clear', every: true, ...(does === 'clear' ? { group } : {}) }]
    }
    return [
      { machine: 'key', group, key, input: 'take' },
      { machine: 'key', group, key, every: true, input: 'leave' },
      { machine: 'guest', input: 'go', when: { machine: 'key', group: '1', key: 'red', states: ['taken'] } },
    ]
  },
}

function taken(...frames: readonly (readonly [does: KeyFrame['does'], board: string, key: string])[]): string[] {
  const check = checkGrammar(boards)
  return frames.flatMap(([does, board, key]) =>
    check.push({ does, board, key }).map(({ rule, item }) => `${rule}: ${item}`),
  )
}

test('an item of one group is another than that of the same key in another group', () => {
  expect(taken(['take', '2', 'red'], ['take', '3', 'blue'], ['take', '4', 'red'])).toEqual([])
})

test('every item of a group is moved, those too that are named later, and none of another group', () => {
  expect(taken(['take', '2', 'red'], ['take', '2', 'blue'])).toEqual(['one-key: key 2 blue'])
  expect(taken(['take', '2', 'red'], ['clear', '2', ''], ['take', '2', 'blue'])).toEqual([])
  expect(taken(['take', '2', 'red'], ['clear', '3', ''], ['take', '2', 'blue'])).toEqual(['one-key: key 2 blue'])
})

test('every item of a machine is moved whatever its group, where none is named', () => {
  expect(taken(['take', '2', 'red'], ['clear all', '', ''], ['take', '2', 'blue'])).toEqual([])
})

test('a move may wait for the state of an item of a group', () => {
  expect(taken(['take', '2', 'red'])).toEqual([])
  expect(taken(['take', '1', 'red'])).toEqual(['no-key-out: guest'])
})
