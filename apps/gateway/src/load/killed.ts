/**
 * A gateway that is killed under load, started again on what it had stored, and asked again by all of its readers: each has to show what
 * was committed then, and nothing else.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Message, textOf } from '@factwire/core'
import { begin } from './begin.ts'
import { child } from './children.ts'
import type { Views } from './returning.ts'

export interface KilledOptions {
  readonly idle: number
  readonly readers: number
  readonly perSecond: number
  readonly seconds: number
}

export interface Killed {
  /** In words. */
  readonly told: string
  readonly faults: readonly string[]
}

export async function killed({ idle, readers, perSecond, seconds }: KilledOptions): Promise<Killed> {
  const folder = mkdtempSync(join(tmpdir(), 'factwire-load-'))
  const first = child('./serving.js', folder)
  const reading = child('./returning.js')
  const children = [first, reading]
  try {
    const { port } = await first.ask<{ readonly port: number }>({ type: 'listen' })
    const [waits, speaks] = [await begin(port, 'approval'), await begin(port, 'load-steps')]
    await reading.ask({ type: 'open', port, path: waits.events, count: idle })
    await reading.ask({ type: 'open', port, path: speaks.events, count: readers })
    await first.ask({ type: 'speak', perSecond, seconds })
    await pause((seconds * 1000) / 2)
    first.kill()
    await reading.ask({ type: 'lost' })

    const begun = performance.now()
    const second = child('./serving.js', folder)
    children.push(second)
    await second.ask({ type: 'listen', port })
    const listens = performance.now() - begun
    await reading.ask({ type: 'back', port })
    const back = performance.now() - begun
    const decided = await fetch(`http://127.0.0.1:${port}/v1/runs/${waits.runId}/decision`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ tool_call_id: 'call_r', action: 'resume' }),
    })
    const { views, refused } = await reading.ask<Views>({ type: 'views' })
    const truths = new Map([
      [waits.events, await truthOf(port, waits.threadId)],
      [speaks.events, await truthOf(port, speaks.threadId)],
    ])
    const wrong = views.filter(({ path, view }) => truths.get(path) !== view)
    const faults = [
      ...(decided.status === 202 ? [] : [`the decision got ${decided.status}`]),
      ...refused.map((status) => `a reader that came back got ${status}`),
      ...wrong.map(({ count, view }) => `${count} readers show ${view.slice(0, 300)}`),
      // Nothing would be shown by it.
      ...(truths.get(speaks.events)?.includes('word') ? [] : ['nothing was committed before the server was killed']),
    ]
    const told = `killed under ${idle} idle readers and ${readers} of ${perSecond} words a second: it listened again after ${Math.round(listens)} ms, and all readers were back after ${Math.round(back)} ms; readers that do not show what was committed: ${wrong.reduce((sum, { count }) => sum + count, 0)}\n`
    return { told, faults }
  } finally {
    for (const each of children) each.kill()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function truthOf(port: number, threadId: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/threads/${threadId}/messages`)
  const { messages } = (await answer.json()) as { readonly messages: readonly Message[] }
  const results = messages.flatMap(({ content }) =>
    content.flatMap((block) => (block.type === 'tool_result' ? [[block.tool_use_id, textOf(block.content)]] : [])),
  )
  const texts = messages.filter(({ role }) => role === 'assistant').map(({ content }) => textOf(content))
  return JSON.stringify({ texts: texts.filter((text) => text !== ''), results })
}
