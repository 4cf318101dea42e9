/** What was played by whom, as a page: `CLIENTS.md` of the gateway. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../kept.ts'
import type { Client, Difference } from './client.ts'
import { sceneNames, scenes } from './scenes.ts'

const ASKED_AGAIN = 'it cannot come back to its stream: whoever leaves ends the run, and asks again with what there was'

const HEAD = `# Who plays what

Written by \`npm run golden\`. Each ✓ is a test of \`test/matrix.test.ts\`: that client, in that scene, against the server that runs. It saw what
the scene shows and how it ended; nothing was thrown, nothing warned, no model asked and no tool run twice.`

export function table(clients: readonly Client[]): string {
  const notes: string[] = []
  const rows = clients.map((client) => [
    client.name,
    pinned(client.from),
    ...sceneNames.map((name) => {
      const why = client.cannot[name]
      if (why !== undefined) return `– ${note(notes, why)}`
      const differs = client.differs?.[name]
      if (differs !== undefined) return `✓ ${note(notes, different(differs))}`
      const isAskedAgain = client.afterCut === 'asks again' && 'askedAgain' in scenes[name]
      return isAskedAgain ? `✓ ${note(notes, ASKED_AGAIN)}` : '✓'
    }),
    Object.entries(client.unseen)
      .map(([what, why]) => `${what} ${note(notes, why)}`)
      .join(', '),
  ])
  const head = ['client', 'version', ...sceneNames, 'not shown']
  const told = notes.map((words, index) => `${index + 1}. ${words}`)
  return `${[HEAD, drawn([head, ...rows]), ...(told.length > 0 ? [told.join('\n')] : [])].join('\n\n')}\n`
}

const different = ({ sees, why }: Difference): string =>
  `sees ${Object.entries(sees)
    .map(([what, it]) => (String(it) === '' ? `no ${what}` : `${what}: \`${String(it)}\``))
    .join(', ')}: ${why}`

function note(notes: string[], words: string): string {
  if (!notes.includes(words)) notes.push(words)
  return `(${notes.indexOf(words) + 1})`
}

function drawn(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const [head = [], ...rest] = rows
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rest.map(line)].join('\n')
}

/** @throws Error for one that is not exact. */
function pinned(from: string): string {
  const line = readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8')
    .split('\n')
    .find((each) => new RegExp(`^  '?${from}'?: `).test(each))
  const version = /: (?:npm:.+@)?(\d+\.\d+\.\d+)$/.exec(line ?? '')?.[1]
  if (version === undefined) throw new Error(`${from} is not pinned: ${line}`)
  return version
}
