/** What else is said beside the answer: usage, failures, signs of life; and what the network does to all of it. */
import { type Torture, bytesOf, done, spoken } from './case.ts'
import type { Speaker } from './speaker.ts'

const USAGE = { prompt: 3, completion: 5 }
const ERROR = { code: 'overloaded', message: 'try again later' }

const greeting = (say: Speaker): string | undefined =>
  spoken(say.start(), say.text('Hel'), say.text('lo 日🤖'), say.finish('stop'), done(say))

const GREETED = { status: ['finished'], text: ['Hello 日🤖'], calls: [] } as const

export const words: readonly Torture[] = [
  {
    name: 'usage before the finish',
    stream: (say) => spoken(say.start(), say.text('Hello'), say.usage(USAGE), say.finish('stop'), done(say)),
    expects: { status: ['finished'], text: ['Hello'], usage: USAGE },
  },
  {
    name: 'usage after the finish',
    stream: (say) =>
      say.finishEnds
        ? undefined
        : spoken(say.start(), say.text('Hello'), say.finish('stop'), say.usage(USAGE), done(say)),
    expects: { status: ['finished'], text: ['Hello'], usage: USAGE },
  },
  {
    name: 'usage that comes again, the same',
    stream: (say) =>
      spoken(say.start(), say.text('Hello'), say.usage(USAGE), say.usage(USAGE), say.finish('stop'), done(say)),
    expects: (say) => ({
      status: ['finished'],
      // A wire on which each usage is of a model call of its own adds them up.
      ...(say.finishEnds ? {} : { usage: USAGE }),
    }),
  },
  {
    name: 'usage with every piece, growing',
    stream: (say) =>
      say.finishEnds
        ? undefined
        : spoken(
            say.start(),
            say.usage({ prompt: 3, completion: 1 }),
            say.text('Hello'),
            say.usage({ prompt: 3, completion: 2 }),
            say.finish('stop'),
            say.usage(USAGE),
            done(say),
          ),
    expects: { status: ['finished'], text: ['Hello'], usage: USAGE },
  },
  {
    name: 'no usage',
    stream: (say) => spoken(say.start(), say.text('Hello'), say.finish('stop'), done(say)),
    expects: { status: ['finished'], usage: null },
  },
  {
    name: 'a failure before anything else',
    stream: (say) => say.error(ERROR),
    expects: { status: ['failed'], text: [''] },
  },
  {
    name: 'a failure after text',
    stream: (say) => spoken(say.start(), say.text('Hello'), say.error(ERROR)),
    expects: { status: ['failed'], text: ['Hello'] },
  },
  {
    name: 'a failure after text, and the end mark',
    stream: (say) => spoken(say.start(), say.text('Hello'), say.error(ERROR), say.done()),
    expects: { status: ['failed'], text: ['Hello'] },
  },
  {
    name: 'a failure, and a finish that says stop',
    stream: (say) => spoken(say.start(), say.text('Hello'), say.error(ERROR), say.finish('stop'), done(say)),
    expects: { status: ['failed'], text: ['Hello'] },
  },
  {
    name: 'a failure in the same message as text',
    stream: (say) => spoken(say.start(), say.text('Hello'), say.error(ERROR, ' world')),
    expects: { status: ['failed'], text: ['Hello world'] },
  },
  {
    name: 'a failure in the same message as the first text',
    stream: (say) => spoken(say.start(), say.error(ERROR, 'Hello')),
    expects: { status: ['failed'], text: ['Hello'] },
  },
  {
    name: 'a failure in the same message as text, and the end mark',
    stream: (say) => spoken(say.start(), say.text('Hello'), say.error(ERROR, ' world'), say.done()),
    expects: { status: ['failed'], text: ['Hello world'] },
  },
  {
    name: 'a failure in the same read as the text before it',
    stream(say) {
      const [start, together] = [say.start(), spoken(say.text('Hello'), say.text(' world'), say.error(ERROR))]
      return start === undefined || together === undefined ? undefined : [bytesOf(start), bytesOf(together)]
    },
    expects: { status: ['failed'], text: ['Hello world'] },
  },
  {
    name: 'a failure inside a call',
    stream: (say) =>
      spoken(
        say.start(),
        say.call({ index: 0, id: 'call-a', name: 'search' }),
        say.args({ index: 0, id: 'call-a', name: 'search' }, '{"q":'),
        say.error(ERROR),
      ),
    expects: { status: ['failed'] },
  },
  {
    name: 'a piece of text that is empty',
    stream: (say) => spoken(say.start(), say.text(''), say.text('Hello'), say.text(''), say.finish('stop'), done(say)),
    expects: { status: ['finished'], text: ['Hello'] },
  },
  {
    name: 'signs of life everywhere',
    stream(say) {
      const here = say.keepAlive()
      return spoken(
        here,
        say.start(),
        here,
        say.text('Hel'),
        here,
        here,
        say.text('lo'),
        here,
        say.finish('stop'),
        here,
        done(say),
      )
    },
    expects: { status: ['finished'], text: ['Hello'] },
  },
  {
    name: 'signs of life and nothing else',
    stream: (say) => spoken(say.keepAlive(), say.keepAlive()),
    expects: { status: ['failed'], text: [''] },
  },
  {
    name: 'one byte at a time',
    stream(say) {
      const body = greeting(say)
      return body === undefined ? undefined : Array.from(bytesOf(body), (byte) => Uint8Array.of(byte))
    },
    expects: GREETED,
  },
  {
    name: 'chunks without bytes between the others',
    stream(say) {
      const body = greeting(say)
      if (body === undefined) return undefined
      const bytes = bytesOf(body)
      const chunks: Uint8Array[] = [new Uint8Array()]
      for (let at = 0; at < bytes.length; at += 7) chunks.push(bytes.subarray(at, at + 7), new Uint8Array())
      return chunks
    },
    expects: GREETED,
  },
  {
    name: 'lines that end with CR LF',
    stream: (say) => greeting(say)?.replaceAll('\n', '\r\n'),
    expects: GREETED,
  },
  {
    name: 'a byte order mark before all',
    stream(say) {
      const body = greeting(say)
      return body === undefined ? undefined : `\uFEFF${body}`
    },
    expects: GREETED,
  },
  {
    name: 'text with every character that breaks lines somewhere',
    stream: (say) => spoken(say.start(), say.text('a\nb\r\nc\u2028d\u0085e\tf'), say.finish('stop'), done(say)),
    expects: { status: ['finished'], text: ['a\nb\r\nc\u2028d\u0085e\tf'] },
  },
]
