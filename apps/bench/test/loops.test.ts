import { readFileSync, writeFileSync } from 'node:fs'
import { inProcess, provider, type SceneName, scenes } from '@factwire/provider'
import { afterEach, expect, test, vi } from 'vitest'
import { manualClock } from '../../../packages/runtime/test/clock.ts'
import { aiSdk } from './loops/ai-sdk.ts'
import { ours } from './loops/ours.ts'
import type { Loop, Seen } from './loops/row.ts'

/** What is compared, in the words of the page. */
const ROWS: readonly (readonly [SceneName, string])[] = [
  ['rate-limited', '429, then an answer'],
  ['server-error', '500, 503, then an answer'],
  ['no-quota', '429 that is about money'],
  ['empty', 'an empty stream, then an answer'],
  ['cut-at-first', 'a reset before the first word'],
  ['silent-at-first', 'silence before the first word'],
  ['cut-text', 'a reset in the text'],
  ['silent-text', 'silence in the text'],
  ['error-in-band', 'an error in the stream, behind text'],
  ['garbage', 'a chunk that is no JSON, behind text'],
  ['cut-in-call', 'a reset in a call'],
  ['cut-after-call', 'a reset behind a whole call'],
  ['unknown-finish', 'a finish that nobody knows'],
  ['cut-by-length', 'cut by length in a call'],
  ['malformed-arguments', 'arguments that are no JSON'],
  ['no-object', 'arguments that are no object'],
  ['repeated-ids', 'ids of calls that repeat'],
  ['unknown-tool', 'a tool that there is not'],
  ['failing-tool', 'a tool that throws'],
  ['hanging-tool', 'a tool that hangs and does not listen'],
]

const PAGE = new URL('../../../docs/loops-compared.md', import.meta.url)

afterEach(() => void vi.useRealTimers())

async function seen(loop: Loop, scene: SceneName): Promise<Seen> {
  const played = provider(scenes)
  return loop(scene, played, inProcess(played))
}

async function row([scene, told]: (typeof ROWS)[number]): Promise<string> {
  const our = await seen(ours(manualClock()), scene)
  expect({ scene, next: our.next }).toEqual({ scene, next: 'ok' })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const tick = (): boolean => {
    const isDue = vi.getTimerCount() > 0
    if (isDue) vi.advanceTimersToNextTimer()
    return isDue
  }
  const [six, seven] = [await seen(aiSdk('6', tick), scene), await seen(aiSdk('7', tick), scene)]
  vi.useRealTimers()
  const [a, b] = [cell(six), cell(seven)]
  return `| ${told} | ${cell(our)} | ${a === b ? a : `6: ${a}<br>7: ${b}`} |`
}

/** What was read, how it ended, how often the model was asked; and what is wrong with asking it again. */
function cell({ text, end, requests, ran, next }: Seen): string {
  const read = text.replaceAll(' | ', ' ').trim()
  const parts = [
    read === '' ? '–' : `“${read}”`,
    `\`${end}\``,
    `${requests} ${requests === 1 ? 'request' : 'requests'}`,
    ...(ran.length === 0 ? [] : [`${ran.length} ${ran.length === 1 ? 'tool' : 'tools'} ran`]),
    ...(next === 'ok' ? [] : [`next: ${next.replace(/^messages\[\d+\]: /, '')}`]),
  ]
  return parts.join(' · ')
}

const squeezed = (line: string): string => line.replaceAll(/ +/g, ' ').trim()

test('docs/loops-compared.md says what was measured', async () => {
  const rows: string[] = []
  for (const each of ROWS) rows.push(await row(each))
  const page = readFileSync(PAGE, 'utf8')
  const [before, , after] = page.split(/<!-- measured.*?-->\n/)
  const table = `\n| fault | this loop | AI SDK 6 and 7, \`streamText\` |\n| --- | --- | --- |\n${rows.join('\n')}\n\n`
  if (process.env['FACTWIRE_WRITE']) {
    const [from, to] = ['<!-- measured: from here -->\n', '<!-- measured: to here -->\n']
    writeFileSync(PAGE, `${before}${from}${table}${to}${after}`)
    return
  }
  const shown = page.split('\n').map(squeezed)
  expect(rows.filter((each) => !shown.includes(squeezed(each)))).toEqual([])
})
