// `npm start`: builds the gateway and becomes it. One process, so that what npm is told (SIGTERM) reaches the server, and npm waits for it.
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
// Named by -p, because an npx around it would hand its own down.
const build = spawn('npx', ['--yes', '-p', 'pnpm@12.21.0', 'pnpm', 'run', 'build:gateway'], {
  cwd: root,
  // What it prints is not what the server says.
  stdio: ['ignore', process.stderr, process.stderr],
})

const signals = ['SIGTERM', 'SIGINT']
const stop = (signal) => {
  build.kill(signal)
  process.exit(128 + constants.signals[signal])
}
for (const signal of signals) process.on(signal, stop)
const code = await new Promise((resolve) => {
  build.once('error', () => resolve(1))
  build.once('exit', (ended) => resolve(ended ?? 1))
})
if (code !== 0) process.exit(code)
for (const signal of signals) process.off(signal, stop)

await import('../apps/gateway/dist/start.js')
