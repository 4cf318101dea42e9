/** What tickets need again after a restart, in a file that its owner alone can read: a key, and a line for each that was used. */
import { randomBytes } from 'node:crypto'
import { appendFile, readFile, rename, writeFile } from 'node:fs/promises'
import { LATER_USE, type TicketMemory, type UsedTicket } from './tickets.ts'

/** Without those that are good no more. What cannot be read is begun anew. */
export async function ticketFile(file: string, now: number): Promise<TicketMemory> {
  const written = await readFile(file, 'utf8').catch(() => '')
  const [first = '', ...lines] = written.split('\n')
  const kept = Buffer.from(first, 'base64url')
  const key = kept.length === 32 ? kept : randomBytes(32)
  const used = kept.length === 32 ? lines.flatMap(usedIn).filter(({ until }) => now < until + LATER_USE) : []
  const all = [key.toString('base64url'), ...used.map(lineOf), ''].join('\n')
  // As a whole or not at all.
  await writeFile(`${file}.new`, all, { mode: 0o600 })
  await rename(`${file}.new`, file)
  return { key, used, remember: (ticket) => appendFile(file, `${lineOf(ticket)}\n`) }
}

const lineOf = ({ until, mac }: UsedTicket): string => `${until} ${mac}`

function usedIn(line: string): readonly UsedTicket[] {
  const [, until, mac] = /^(\d{1,15}) ([\w-]{43})$/.exec(line) ?? []
  return until === undefined || mac === undefined ? [] : [{ until: Number(until), mac }]
}
