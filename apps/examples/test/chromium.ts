/** A real browser, where the machine has one. Elsewhere what needs it is skipped, and says so. */
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { test } from 'vitest'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

const wanted = process.env['FACTWIRE_CHROMIUM']
const executablePath = (wanted ? [wanted] : PLACES).find((path) => existsSync(path))

/** Defines tests that need a browser. */
export function withChromium(define: (launch: () => Promise<Browser>) => void): void {
  // Its sandbox refuses to start for root.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  // oxlint-disable-next-line vitest/no-conditional-tests -- without a browser there is nothing to test with
  if (executablePath !== undefined) define(() => chromium.launch({ executablePath, args }))
  // oxlint-disable-next-line vitest/no-disabled-tests -- a skipped test is how the gap is seen
  else test.skip('NOT CHECKED: the page in a browser; FACTWIRE_CHROMIUM names one', () => {})
}
