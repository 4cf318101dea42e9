import { expect, test } from 'vitest'
import { check, type Contender } from '../src/contender.ts'

const says = (name: string, ...pieces: readonly (string | Uint8Array)[]): Contender => ({
  name,
  run: (take) => pieces.forEach((piece) => take(piece)),
})

test('who gives the same in other pieces gives the same', async () => {
  await expect(check([says('a', 'one two'), says('b', Buffer.from('one '), 'two')])).resolves.toBeUndefined()
})

test('a wrong answer is told, with who gave it and where', async () => {
  await expect(check([says('a', 'one two'), says('b', 'one too')])).rejects.toThrow(/unit 5[^]*a: [^]*b: /)
})

test('an answer that is too short is wrong', async () => {
  await expect(check([says('a', 'one two'), says('b', 'one')])).rejects.toThrow(/unit 3/)
  await expect(check([says('a', 'one'), says('b', 'one two')])).rejects.toThrow(/unit 3/)
})

test('who gives nothing is wrong, alone too', async () => {
  await expect(check([says('a')])).rejects.toThrow(/a shows nothing/)
})

test('only what is to be the same is compared', async () => {
  const loud: Contender = { ...says('loud', 'ONE'), shows: (output) => output.toLowerCase() }
  await expect(check([says('a', 'one'), loud])).resolves.toBeUndefined()
})
