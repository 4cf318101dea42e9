import type { RequestListener, ServerResponse } from 'node:http'
import { type AgentEvent, runWriter, transcode } from '@factwire/core'
import { sse } from '@factwire/sse'
import type { Browser, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { scriptOf } from './bundle.ts'
import { withChromium } from './chromium.ts'
import { serving } from './serving.ts'

const run = { threadId: 'thread-1', runId: 'run-1' }
const LONGEST = 120_000

/** A model that takes back what it had begun, calls a tool, and writes what looks like markup. */
function* told(): Generator<AgentEvent> {
  const { text, reset, toolCall, commit, toolResult, end } = runWriter(run)
  yield* text('Let me gue').events
  yield* reset('the model lost its way').events
  yield* text('Let me <b>look</b>.').events
  yield* toolCall('c', 'weather', '{"city":"Zürich"}').events
  yield* commit().events
  yield* toolResult('c', '22 °C').events
  yield* text('It is warm in Zürich. 🌞').events
  yield* end().events
}

const RENDERED = ['Let me <b>look</b>.', 'weather({"city":"Zürich"}) 22 °C', 'It is warm in Zürich. 🌞']

/** The page, and at `/events` whatever is to be told. */
function site(script: string, tell: (response: ServerResponse) => Promise<void>): RequestListener {
  const page = `<!doctype html><meta charset="utf-8"><main></main><script>${script}
    example.watch('/events', (view, over) => example.render(document.querySelector('main'), view, over))</script>`
  return (request, response) => {
    response.writeHead(200, { 'content-type': request.url === '/events' ? 'text/event-stream' : 'text/html' })
    if (request.url !== '/events') return void response.end(request.url === '/' ? page : '')
    // Whoever connects again does so at once.
    response.write('retry: 1\n\n')
    return void tell(response)
  }
}

interface Shown {
  readonly lines: readonly string[]
  /** How often the page asked for the run. */
  readonly asked: number
  readonly errors: readonly string[]
}

/** What the page shows once it has the status. */
async function shown(
  browser: Browser,
  status: string,
  tell: (response: ServerResponse) => Promise<void>,
  meanwhile: (page: Page) => Promise<void> = async () => undefined,
): Promise<Shown> {
  let asked = 0
  const script = await scriptOf('page.ts', 'example')
  const listener = site(script, (response) => {
    asked++
    return tell(response)
  })
  return serving(listener, async (url) => {
    const page = await browser.newPage()
    const errors: string[] = []
    page.on('pageerror', ({ message }) => errors.push(message))
    await page.goto(url)
    await meanwhile(page)
    const main = page.locator(`main[data-status="${status}"]`)
    await main.waitFor({ timeout: LONGEST / 2 })
    const lines = await main.locator('p').allTextContents()
    // A page that asks again has done so by the time of these.
    for (let turn = 0; turn < 20; turn++) await page.evaluate(() => fetch('/turn').then((answer) => answer.text()))
    return { lines, asked, errors }
  })
}

withChromium((launch) => {
  test(
    'a browser shows the run, corrections and all, and leaves at its end',
    async () => {
      const browser = await launch()
      try {
        const seen = await shown(browser, 'finished', async (response) => {
          for await (const piece of transcode(sse, told(), run)) response.write(piece)
          response.end()
        })
        expect(seen).toEqual({ lines: RENDERED, asked: 1, errors: [] })
      } finally {
        await browser.close()
      }
    },
    LONGEST,
  )

  test(
    'a browser whose connection breaks does not call it a success, and does not ask for another run',
    async () => {
      const browser = await launch()
      try {
        let broken: ServerResponse | undefined
        const begin = async (response: ServerResponse): Promise<void> => {
          broken = response
          response.write('data: {"event_type":"run_start","thread_id":"t","run_id":"r"}\n\n')
          response.write('data: {"event_type":"text_delta","delta":"Hel"}\n\n')
        }
        const seen = await shown(browser, 'lost', begin, async (page) => {
          // What was written is not yet read.
          await page.getByText('Hel').waitFor({ timeout: LONGEST / 2 })
          broken?.destroy()
        })
        expect(seen).toEqual({ lines: ['Hel'], asked: 1, errors: [] })
      } finally {
        await browser.close()
      }
    },
    LONGEST,
  )
})
