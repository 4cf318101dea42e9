// Builds what is published, and what it needs, and nothing else. `pnpm run build` builds the rest too.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { publicPackages } from './release/packages.mjs'
import { sweep } from './release/sweep.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const packages = publicPackages(root)
const filters = packages.flatMap(({ name }) => ['--filter', name])
const env = { ...process.env, TURBO_TELEMETRY_DISABLED: '1' }
const { status, error } = spawnSync('turbo', ['run', 'build', '--output-logs=errors-only', ...filters], {
  cwd: root,
  env,
  stdio: 'inherit',
})
if (error) console.error(error.message)
for (const { path } of packages) sweep(path)
process.exitCode = status === 0 ? 0 : 1
