import { expect, test } from 'vitest'
import { endure, tortures } from '../src/index.ts'
import { type Flaws, speaker, toyDecoder } from './toy.ts'

/** The names of what a decoder does not endure. */
async function failures(flaws: Flaws): Promise<string[]> {
  const subject = { name: 'toy', speaker, decode: toyDecoder(flaws) }
  const found: string[] = []
  for (const each of tortures) {
    const { fault } = await endure(each, subject)
    if (fault !== undefined) found.push(each.name)
  }
  return found
}

test('a decoder without flaws endures all of it, and all of it is tried', async () => {
  expect(await failures({})).toEqual([])
  expect(tortures.filter(({ stream }) => stream(speaker()) === undefined)).toEqual([])
  expect(tortures.length).toBeGreaterThanOrEqual(40)
  expect(new Set(tortures.map(({ name }) => name)).size).toBe(tortures.length)
})

const flawed: readonly (readonly [flaw: keyof Flaws, found: string])[] = [
  ['cutIsSuccess', 'text that is cut off after a whole message'],
  ['cutIsSuccess', 'a cut inside the JSON of a message'],
  ['addsUsage', 'usage that comes again, the same'],
  ['breaksCharacters', 'one byte at a time'],
  ['stopsAtFinish', 'usage after the finish'],
  ['stopsAtFinish', 'text after the finish, and the end mark'],
  ['forgetsErrors', 'a failure, and a finish that says stop'],
  ['readsErrorsAlone', 'a failure in the same message as text'],
  ['readsErrorsAlone', 'a failure in the same message as the first text'],
  ['losesWhatCameWithAnError', 'a failure in the same read as the text before it'],
  ['losesTextAtErrors', 'a failure after text'],
  ['mixesArguments', 'two calls whose arguments interleave'],
]

test.each(flawed)('%s is found by: %s', async (flaw, found) => {
  expect(await failures({ [flaw]: true })).toContain(found)
})

test('tells what was expected, what came, and the stream', async () => {
  const cut = tortures.find(({ name }) => name === 'text that is cut off after a whole message')
  const subject = { name: 'toy', speaker, decode: toyDecoder({ cutIsSuccess: true }) }
  const { fault = '' } = cut ? await endure(cut, subject) : {}
  expect(fault).toContain('it should be failed, not finished')
  expect(fault).toContain('data: {"say":"Hello"}')
})
