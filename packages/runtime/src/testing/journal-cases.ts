/** What every journal has to do. Each case has runs of its own, so that one journal may be shared by all. */
import type { Journal, Note } from '../journal.ts'
import { demandEqual, type PortCase } from './port-case.ts'

/** What has to come back as it was: escapes, a separator of lines, half of a pair, a number that is 0. */
const AWKWARD = 'Grüße \u2028 "\\ \u0000 🌍 \ud83c'

const said = (id: string, text = AWKWARD): Note => ({
  type: 'said',
  message: { id, role: 'user', content: [{ type: 'text', text }] },
})
const decided = (tool_use_id: string, approved = true): Note => ({
  type: 'decided',
  decision: { tool_use_id, approval_id: 'a', approved, payload: { why: AWKWARD, count: 0, none: null } },
})

export const journalCases: readonly PortCase<Journal>[] = [
  {
    name: 'a run of which nothing was noted has no notes',
    async run(journal) {
      demandEqual(await journal.read('nothing'), [], 'notes')
      await journal.clear('nothing')
    },
  },
  {
    name: 'notes are read again as they were, in their order',
    async run(journal) {
      const stopped: Note = { type: 'stopped', cause: { type: 'stopped', code: 'c', detail: AWKWARD } }
      const notes: readonly Note[] = [said('m1'), decided('c1'), { type: 'resumed' }, decided('c1', false), stopped]
      await journal.add('order', notes.slice(0, 3))
      await journal.add('order', notes.slice(3))
      demandEqual(await journal.read('order'), notes, 'notes')
    },
  },
  {
    name: 'the same note twice is two notes',
    async run(journal) {
      await journal.add('twice', [said('m1'), said('m1')])
      await journal.add('twice', [said('m1')])
      demandEqual((await journal.read('twice')).length, 3, 'notes')
    },
  },
  {
    name: 'adding no notes adds none',
    async run(journal) {
      await journal.add('empty', [])
      demandEqual(await journal.read('empty'), [], 'notes')
    },
  },
  {
    name: 'of notes that are added at once all are kept, each list in one piece',
    async run(journal) {
      const lists = Array.from({ length: 20 }, (_none, list) => [said(`${list}-0`), said(`${list}-1`)])
      await Promise.all(lists.map((notes) => journal.add('at once', notes)))
      const ids = (await journal.read('at once')).map((note) => (note.type === 'said' ? note.message.id : note.type))
      demandEqual(ids.toSorted(), lists.flatMap((_notes, list) => [`${list}-0`, `${list}-1`]).toSorted(), 'notes')
      const firsts = ids.filter((_id, index) => index % 2 === 0)
      demandEqual(
        firsts.map((id, index) => [id.replace('-0', '-1'), ids[2 * index + 1]]).filter(([a, b]) => a !== b),
        [],
        'lists in pieces',
      )
    },
  },
  {
    name: 'what was settled is read, whoever reads at once',
    async run(journal) {
      for (let count = 1; count <= 5; count++) {
        await journal.add('at once read', [said(`m${count}`)])
        demandEqual((await journal.read('at once read')).length, count, 'notes')
      }
    },
  },
  {
    name: 'a call is claimed once',
    async run(journal) {
      demandEqual(await journal.claim('claim', 'c1'), true, 'the first')
      demandEqual(await journal.claim('claim', 'c1'), false, 'the second')
      demandEqual(await journal.claim('claim', 'c2'), true, 'another call')
      demandEqual(await journal.claim('claim, another run', 'c1'), true, 'of another run')
    },
  },
  {
    name: 'of many who claim a call at once one has it',
    async run(journal) {
      const all = await Promise.all(Array.from({ length: 20 }, () => journal.claim('race', 'c1')))
      demandEqual(all.filter((isFirst) => isFirst).length, 1, 'claims')
    },
  },
  {
    name: 'ids are compared unit by unit',
    async run(journal) {
      const ids = ['c', 'C', 'c ', ' c', 'c\u0000', 'c\u0000d', '', 'é', 'e\u0301']
      for (const id of ids) demandEqual(await journal.claim('ids', id), true, JSON.stringify(id))
      for (const id of ids) {
        await journal.add(`ids ${id}`, [said(id)])
        demandEqual((await journal.read(`ids ${id}`)).length, 1, JSON.stringify(id))
      }
    },
  },
  {
    name: 'a claim is no note',
    async run(journal) {
      await journal.claim('no note', 'c1')
      demandEqual(await journal.read('no note'), [], 'notes')
    },
  },
  {
    name: 'what is cleared is gone, of this run and of no other',
    async run(journal) {
      await journal.add('clear', [said('m1')])
      await journal.claim('clear', 'c1')
      await journal.add('stay', [said('m1')])
      await journal.claim('stay', 'c1')
      await journal.clear('clear')
      await journal.clear('clear')
      demandEqual(await journal.read('clear'), [], 'notes')
      demandEqual(await journal.claim('clear', 'c1'), true, 'a claim')
      demandEqual((await journal.read('stay')).length, 1, 'notes of another')
      demandEqual(await journal.claim('stay', 'c1'), false, 'a claim of another')
      await journal.add('clear', [said('m2')])
      demandEqual(await journal.read('clear'), [said('m2')], 'notes after it')
    },
  },
  {
    name: 'what was given to it may be changed afterwards, and what it gave',
    async run(journal) {
      const given: Note[] = [said('m1')]
      await journal.add('copies', given)
      given.push(said('m2'))
      const read = await journal.read('copies')
      demandEqual(read, [said('m1')], 'notes')
    },
  },
]
