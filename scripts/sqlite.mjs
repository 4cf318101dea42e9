// Compiles better-sqlite3 for the tests that need it, once: nothing else here does, so installing compiles nothing. It takes a C++ compiler,
// make, Python, and a minute. Fails where it cannot be had; the tests then skip what needs it, and say so.
import { spawnSync } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const LONGEST = 600_000

/** `none` says that it is not wanted. */
const wanted = process.env.FACTWIRE_SQLITE !== 'none'
const near = createRequire(fileURLToPath(new URL('../packages/sqlite/package.json', import.meta.url)))

/** In a process of its own: what cannot be loaded may do more than throw. */
const works = (folder) =>
  spawnSync(process.execPath, ['-e', `new (require(${JSON.stringify(folder)}))(':memory:').close()`], {
    stdio: 'ignore',
  }).status === 0

function folderOf() {
  try {
    return realpathSync(dirname(near.resolve('better-sqlite3/package.json')))
  } catch {
    return undefined
  }
}

const folder = wanted ? folderOf() : undefined
if (folder && existsSync(folder) && !works(folder)) {
  const start = performance.now()
  // npm knows where its own node-gyp is. The headers of this node may stand beside it: then nothing has to be fetched.
  const prefix = dirname(dirname(process.execPath))
  const beside = existsSync(join(prefix, 'include', 'node', 'node.h'))
  const env = { ...process.env, JOBS: 'max', ...(beside ? { npm_config_nodedir: prefix } : {}) }
  const { status } = spawnSync('npm', ['run', '--silent', 'build-release'], {
    cwd: folder,
    env,
    stdio: 'ignore',
    timeout: LONGEST,
  })
  if (status === 0) console.log(`better-sqlite3 was compiled in ${Math.round((performance.now() - start) / 1000)} s`)
}
const there = folder !== undefined && works(folder)
console.log(there ? folder : 'there is no better-sqlite3 that works')
process.exitCode = there ? 0 : 1
