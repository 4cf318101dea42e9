/** `npm run demo`: prints the acts, and fails if a client did not end with what was committed. */
import { demo } from './demo.ts'
import { screen } from './screen.ts'

const { stdout, env } = process
const color = stdout.isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
// Whoever pipes this into `head` has seen enough.
stdout.on('error', () => process.exit())
// No act takes a second. A client that waits for ever has not been told of an ending.
const LONGEST = 10_000
setTimeout(() => {
  console.error(`✗ The demo is not over after ${LONGEST / 1000} s.`)
  process.exit(1)
}, LONGEST).unref()
const good = await demo(screen({ write: (text) => stdout.write(text), color }))
process.exitCode = good ? 0 : 1
