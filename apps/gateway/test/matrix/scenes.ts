/** The scenes. Each is a model of the gateway by its name. */
import {
  answer,
  call,
  done,
  error,
  finish,
  more,
  refusal,
  role,
  send,
  stream,
  text,
  thought,
  usage,
  wait,
  words,
} from '@factwire/provider'
import type { Script, View } from './scene.ts'

const nothing: View = { text: '', thoughts: '', calls: [], end: 'done' }

const OSLO = [call(0, 'call_o', 'look_up', '{"city":'), more(0, '"Oslo"}')]
const REMOVE = [call(0, 'call_r', 'remove', '{"path":'), more(0, '"/tmp/x"}')]

/** Looks something up, and stops in the middle of what it then says, until somebody lets it go on. */
const lookThenWait = [
  [answer('tool_calls', text('Let me look.'), ...OSLO)],
  [
    stream(send(role(), text('It is ')), wait(0), send(text('done.'), finish('stop'), usage(12, 5)), done),
    words('It is ', 'done.'),
  ],
] as const
const looked: View = {
  ...nothing,
  text: 'Let me look.\n\nIt is done.',
  calls: ['look_up {"city":"Oslo"} = Oslo is cold'],
}

const approval = [[answer('tool_calls', text('I will remove it.'), ...REMOVE)], [words('It is ', 'done.')]] as const
const removed = (outcome: string): View => ({
  ...nothing,
  text: 'I will remove it.\n\nIt is done.',
  calls: [`remove {"path":"/tmp/x"} = ${outcome}`],
})

export const scenes = {
  text: {
    script: [[words('Hel', 'lo ', '🌍', '.')]],
    sees: { ...nothing, text: 'Hello 🌍.', tokens: 5 },
    requests: 1,
    ran: {},
    runs: ['natural_end'],
  },
  thinking: {
    script: [[answer('stop', thought('The user '), thought('greets.'), text('Hello.'))]],
    thinking: true,
    sees: { ...nothing, thoughts: 'The user greets.', text: 'Hello.' },
    requests: 1,
    ran: {},
    runs: ['natural_end'],
  },
  'one tool': {
    script: [[answer('tool_calls', text('Let me look.'), ...OSLO)], [words('It is ', 'done.')]],
    sees: { ...looked, tokens: 10 },
    requests: 2,
    ran: { look_up: 1 },
    runs: ['natural_end'],
  },
  'parallel tools': {
    script: [
      [
        answer(
          'tool_calls',
          text('Let me look.'),
          call(0, 'call_o', 'look_up'),
          call(1, 'call_r', 'look_up'),
          more(0, '{"city":'),
          more(1, '{"city":"Ro'),
          more(0, '"Oslo"}'),
          more(1, 'me"}'),
        ),
      ],
      [words('It is ', 'done.')],
    ],
    sees: {
      ...looked,
      calls: ['look_up {"city":"Oslo"} = Oslo is cold', 'look_up {"city":"Rome"} = Rome is cold'],
    },
    requests: 2,
    ran: { look_up: 2 },
    runs: ['natural_end'],
  },
  'two turns': {
    script: [
      [answer('tool_calls', text('Let me look.'), ...OSLO)],
      [words('It is ', 'done.'), words('You are welcome.')],
    ],
    says: ['Go.', 'Thank you.'],
    sees: { ...looked, text: 'Let me look.\n\nIt is done.\n\nYou are welcome.', tokens: 15 },
    requests: 3,
    ran: { look_up: 1 },
    runs: ['natural_end', 'natural_end'],
  },
  'failing tool': {
    script: [[answer('tool_calls', text('Let me try.'), call(0, 'call_f', 'fail', '{}'))], [words('It is ', 'done.')]],
    sees: { ...nothing, text: 'Let me try.\n\nIt is done.', calls: ['fail {} = no'] },
    requests: 2,
    ran: { fail: 1 },
    runs: ['natural_end'],
  },
  'client tool': {
    script: [
      [answer('tool_calls', text('Which?'), call(0, 'call_c', 'choose', '{"of":["red",'), more(0, '"blue"]}'))],
      [words('It is ', 'done.')],
    ],
    brings: { choose: 'red' },
    sees: {
      ...nothing,
      text: 'Which?\n\nIt is done.',
      calls: ['choose {"of":["red","blue"]} = red'],
      tokens: 10,
    },
    requests: 2,
    ran: { choose: 1 },
    runs: ['natural_end'],
  },
  'approval granted': {
    script: approval,
    approves: true,
    sees: { ...removed('removed /tmp/x'), tokens: 10 },
    requests: 2,
    ran: { remove: 1, 'the user': 1 },
    runs: ['natural_end'],
  },
  'approval denied': {
    script: approval,
    approves: false,
    sees: removed('no'),
    requests: 2,
    ran: { 'the user': 1 },
    runs: ['natural_end'],
  },
  'reloaded while it waits': {
    script: approval,
    approves: true,
    reloads: true,
    sees: removed('removed /tmp/x'),
    requests: 2,
    ran: { remove: 1, 'the user': 1 },
    runs: ['natural_end'],
  },
  // One that runs, two that wait for a yes, one of the client.
  'all at once': {
    script: [
      [
        answer(
          'tool_calls',
          text('All of it.'),
          ...OSLO,
          call(1, 'call_x', 'remove', '{"path":"/tmp/x"}'),
          call(2, 'call_y', 'remove', '{"path":"/tmp/y"}'),
          call(3, 'call_c', 'choose', '{"of":["red","blue"]}'),
        ),
      ],
      [words('It is ', 'done.')],
    ],
    brings: { choose: 'red' },
    approves: true,
    sees: {
      ...nothing,
      text: 'All of it.\n\nIt is done.',
      calls: [
        'look_up {"city":"Oslo"} = Oslo is cold',
        'remove {"path":"/tmp/x"} = removed /tmp/x',
        'remove {"path":"/tmp/y"} = removed /tmp/y',
        'choose {"of":["red","blue"]} = red',
      ],
    },
    requests: 2,
    ran: { look_up: 1, remove: 2, choose: 1, 'the user': 2 },
    runs: ['natural_end'],
  },
  exhausted: {
    script: [[answer('length', text('Once upon '), text('a'))]],
    sees: { ...nothing, text: 'Once upon a', end: 'exhausted', tokens: 5 },
    requests: 1,
    ran: {},
    runs: ['max_steps'],
  },
  // Once with nothing of it shown but what was before, once in the middle of a sentence.
  failed: {
    script: [[answer('tool_calls', text('Let me look.'), ...OSLO)], [refusal(401, 'invalid_api_key', 'wrong key')]],
    sees: { ...looked, text: 'Let me look.', end: 'failed unauthorized' },
    requests: 2,
    ran: { look_up: 1 },
    runs: ['error'],
  },
  'failed in a word': {
    script: [[stream(send(role(), text('Once upon '), error('invalid_request_error', 'no such thing')))]],
    sees: { ...nothing, text: 'Once upon ', end: 'failed invalid_request' },
    requests: 1,
    ran: {},
    runs: ['error'],
  },
  cancelled: {
    script: [[stream(send(role(), text('Once upon ')), wait(0), send(text('a time.'), finish('stop')), done)]],
    meanwhile: { until: 'Once upon ', happens: 'cancel' },
    sees: { ...nothing, text: 'Once upon ', end: 'cancelled' },
    requests: 1,
    ran: {},
    runs: ['cancelled'],
  },
  resumed: {
    script: lookThenWait,
    meanwhile: { until: 'It is ', happens: 'cut' },
    sees: { ...looked, tokens: 10 },
    requests: 2,
    ran: { look_up: 1 },
    runs: ['natural_end'],
    askedAgain: {
      sees: { ...nothing, text: 'It is done.', tokens: 5 },
      requests: 3,
      runs: ['cancelled', 'natural_end'],
    },
  },
  'joined late': {
    script: lookThenWait,
    meanwhile: { until: 'It is ', happens: 'join' },
    sees: { ...looked, tokens: 10 },
    requests: 2,
    ran: { look_up: 1 },
    runs: ['natural_end'],
  },
} as const satisfies Readonly<Record<string, Script>>

export type SceneName = keyof typeof scenes

export const sceneNames = Object.keys(scenes) as readonly SceneName[]
