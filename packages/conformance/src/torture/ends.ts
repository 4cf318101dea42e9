/** How streams end: early, late, twice, not at all. What was cut is a failure, always. */
import { type Torture, bytesOf, done, FIRST, spoken } from './case.ts'

const hello = (say: Parameters<Torture['stream']>[0]): string | undefined => spoken(say.start(), say.text('Hello'))

export const ends: readonly Torture[] = [
  {
    name: 'text, a finish and the end',
    stream: (say) => spoken(hello(say), say.text(' world'), say.finish('stop'), done(say)),
    expects: { status: ['finished'], text: ['Hello world'], calls: [] },
  },
  {
    name: 'nothing at all',
    stream: () => '',
    expects: { status: ['failed'], text: [''], calls: [] },
  },
  {
    name: 'a start and nothing more',
    stream: (say) => say.start(),
    expects: { status: ['failed'], text: [''], calls: [] },
  },
  {
    name: 'an end mark and nothing else',
    stream: (say) => say.done(),
    expects: { status: ['failed'], text: [''], calls: [] },
  },
  {
    name: 'text that is cut off after a whole message',
    stream: hello,
    expects: { status: ['failed'] },
  },
  {
    name: 'a cut inside the JSON of a message',
    stream(say) {
      const last = say.text(' world, and more')
      return spoken(hello(say), last?.slice(0, last.length - 8))
    },
    expects: { status: ['failed'], text: ['Hello', ''] },
  },
  {
    name: 'a cut inside a character of many bytes',
    stream(say) {
      const body = spoken(hello(say), say.text('日'))
      if (body === undefined) return undefined
      const bytes = bytesOf(body)
      const at = bytes.lastIndexOf(0xe6)
      // Some wires escape such characters: then there is no byte to cut at.
      return at === -1 ? undefined : [bytes.subarray(0, at + 2)]
    },
    expects: { status: ['failed'], text: ['Hello', ''] },
  },
  {
    name: 'a cut inside the message that finishes',
    stream(say) {
      const last = say.finish('stop')
      return spoken(hello(say), last?.slice(0, Math.floor(last.length / 2)))
    },
    expects: { status: ['failed'] },
  },
  {
    name: 'a cut inside the arguments of a call',
    stream: (say) => spoken(say.start(), say.call(FIRST), say.args(FIRST, '{"q":"x')),
    expects: { status: ['failed'] },
  },
  {
    name: 'a cut after a whole call, before the finish',
    stream: (say) => spoken(say.start(), say.call(FIRST), say.args(FIRST, '{"q":"x"}')),
    expects: { status: ['failed'] },
  },
  {
    name: 'a finish, and no end mark',
    stream: (say) => spoken(hello(say), say.finish('stop')),
    expects: ({ markEnds }) => ({ status: markEnds ? ['failed'] : ['finished'], text: ['Hello'] }),
  },
  {
    name: 'a call, a finish, and no end mark',
    stream: (say) => spoken(say.start(), say.call(FIRST), say.args(FIRST, '{"q":"x"}'), say.finish('calls')),
    // A call of an answer that was cut is run by nobody.
    expects: ({ markEnds }) => ({ status: markEnds ? ['failed'] : ['waiting'] }),
  },
  {
    name: 'an end mark, and no finish',
    stream: (say) => spoken(hello(say), say.done()),
    expects: { status: ['finished', 'failed'], text: ['Hello'] },
  },
  {
    name: 'a finish that comes twice',
    stream: (say) => spoken(hello(say), say.finish('stop'), say.finish('stop'), done(say)),
    expects: { status: ['finished'], text: ['Hello'] },
  },
  {
    name: 'an end mark that comes twice',
    stream: (say) => spoken(hello(say), say.finish('stop'), say.done(), say.done()),
    expects: { status: ['finished'], text: ['Hello'] },
  },
  {
    name: 'text after the end mark',
    stream: (say) => spoken(hello(say), say.finish('stop'), say.done(), say.text(' world')),
    expects: { status: ['finished'], text: ['Hello'] },
  },
  {
    name: 'text after the finish, and the end mark',
    stream: (say) =>
      say.finishEnds ? undefined : spoken(hello(say), say.finish('stop'), say.text(' world'), say.done()),
    expects: { status: ['finished'], text: ['Hello world'] },
  },
  {
    name: 'text after the finish, and a cut',
    stream: (say) => spoken(hello(say), say.finish('stop'), say.text(' world')),
    // Where the finish ends the stream, what comes after it is no part of it.
    expects: ({ finishEnds }) => ({ status: finishEnds ? ['finished', 'failed'] : ['failed'] }),
  },
  {
    name: 'an answer that was too long',
    stream: (say) => spoken(hello(say), say.finish('length'), done(say)),
    expects: { status: ['finished'], text: ['Hello'] },
  },
]
