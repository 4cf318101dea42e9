/** Tool calls: in pieces, side by side, without ids, and with a finish that says something else. */
import { type Torture, done, FIRST, SECOND, spoken } from './case.ts'

const A = { ...FIRST, arguments: '{"q":"x"}' }
const B = { ...SECOND, arguments: '{"path":"/tmp"}' }

export const calls: readonly Torture[] = [
  {
    name: 'a call whose arguments come in pieces',
    stream: (say) =>
      spoken(
        say.start(),
        say.call(FIRST),
        ...['{"', 'q"', ':"', 'x', '"}'].map((piece) => say.args(FIRST, piece)),
        say.finish('calls'),
        done(say),
      ),
    expects: { status: ['waiting'], text: [''], calls: [A] },
  },
  {
    name: 'a call without arguments',
    stream: (say) => spoken(say.start(), say.call(FIRST), say.finish('calls'), done(say)),
    expects: { status: ['waiting'], calls: [{ ...FIRST, arguments: '{}' }] },
  },
  {
    name: 'two calls, one after the other',
    stream: (say) =>
      spoken(
        say.start(),
        say.call(FIRST),
        say.args(FIRST, A.arguments),
        say.call(SECOND),
        say.args(SECOND, B.arguments),
        say.finish('calls'),
        done(say),
      ),
    expects: { status: ['waiting'], calls: [A, B] },
  },
  {
    name: 'two calls whose arguments interleave',
    stream: (say) =>
      spoken(
        say.start(),
        say.call(FIRST),
        say.call(SECOND),
        say.args(FIRST, '{"q":'),
        say.args(SECOND, '{"path":'),
        say.args(FIRST, '"x"}'),
        say.args(SECOND, '"/tmp"}'),
        say.finish('calls'),
        done(say),
      ),
    expects: { status: ['waiting'], calls: [A, B] },
  },
  {
    name: 'two calls of one id',
    stream(say) {
      const twin = { ...SECOND, id: FIRST.id ?? '' }
      return spoken(
        say.start(),
        say.call(FIRST),
        say.args(FIRST, A.arguments),
        say.call(twin),
        say.args(twin, B.arguments),
        say.finish('calls'),
        done(say),
      )
    },
    expects: {
      status: ['waiting'],
      calls: [
        { name: A.name, arguments: A.arguments },
        { name: B.name, arguments: B.arguments },
      ],
    },
  },
  {
    name: 'a call without an id',
    stream(say) {
      const nobody = { index: 0, name: 'search' }
      return spoken(say.start(), say.call(nobody), say.args(nobody, A.arguments), say.finish('calls'), done(say))
    },
    expects: { status: ['waiting'], calls: [{ name: A.name, arguments: A.arguments }] },
  },
  {
    name: 'a call that begins twice',
    stream: (say) =>
      spoken(
        say.start(),
        say.call(FIRST),
        say.call(FIRST),
        say.args(FIRST, A.arguments),
        say.finish('calls'),
        done(say),
      ),
    expects: { status: ['waiting'], calls: [A] },
  },
  {
    name: 'calls, and a finish that says stop',
    stream: (say) => spoken(say.start(), say.call(FIRST), say.args(FIRST, A.arguments), say.finish('stop'), done(say)),
    expects: { status: ['waiting'], calls: [A] },
  },
  {
    name: 'a finish that says calls, and none came',
    stream: (say) => spoken(say.start(), say.text('Hello'), say.finish('calls'), done(say)),
    expects: { status: ['failed'], text: ['Hello'], calls: [] },
  },
  {
    name: 'text before and after a call',
    stream: (say) =>
      spoken(
        say.start(),
        say.text('Let me '),
        say.call(FIRST),
        say.args(FIRST, A.arguments),
        say.text('look.'),
        say.finish('calls'),
        done(say),
      ),
    expects: { status: ['waiting'], text: ['Let me look.'], calls: [A] },
  },
  {
    name: 'arguments that are no JSON',
    stream: (say) => spoken(say.start(), say.call(FIRST), say.args(FIRST, '{"q":'), say.finish('calls'), done(say)),
    // Whoever gives them has to give them as they are: a value made up is one that gets run.
    expects: { status: ['waiting', 'failed'], calls: [{ ...FIRST, arguments: '{"q":' }] },
  },
  {
    name: 'arguments with characters of every kind',
    stream(say) {
      const args = JSON.stringify({ q: 'é 日 🤖 \u2028 "\\"' })
      return spoken(say.start(), say.call(FIRST), say.args(FIRST, args), say.finish('calls'), done(say))
    },
    expects: { status: ['waiting'], calls: [{ ...FIRST, arguments: JSON.stringify({ q: 'é 日 🤖 \u2028 "\\"' }) }] },
  },
]
