// The programs that a rehearsal uses, all with its own environment. In the clone some exist only once it is installed and built.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { run } from './run.mjs'

export function toolbox({ clone, env }) {
  const inCatalog = (name) => {
    const catalog = readFileSync(join(clone, 'pnpm-workspace.yaml'), 'utf8')
    const version = new RegExp(`^  '?${name}'?: (.+)$`, 'm').exec(catalog)
    if (!version) throw new Error(`${name} is not in the catalog`)
    return version[1]
  }
  /** The last argument may be options of `run`. */
  const using =
    (program, ...before) =>
    (cwd, ...args) => {
      const options = typeof args.at(-1) === 'object' ? args.at(-1) : {}
      return run(program, [...before, ...args.filter((arg) => arg !== options)], { env, cwd, ...options })
    }
  const tools = {
    npm: using('npm'),
    npx: using('npx', '--no-install'),
    node: using(process.execPath),
    git: using('git'),
    bash: using('bash'),
    /** A program that a project has installed. */
    program: (cwd, name, ...args) => run(join(cwd, 'node_modules', '.bin', name), args, { env, cwd }),
    pnpm: (args, { env: more = {}, ...options } = {}) =>
      run('pnpm', args, { env: { ...env, ...more }, cwd: clone, ...options }),
    versions: (...names) => names.map((name) => `${name}@${inCatalog(name)}`),
    compiler: join(clone, 'node_modules/typescript/bin/tsc'),
    async commit(message) {
      await tools.git(clone, 'add', '--all')
      await tools.git(clone, 'commit', '--quiet', '--allow-empty', '--message', message)
    },
    /** npx asks the registry each time, even for what it has: it is asked once, and gives the folder where pnpm is. */
    async prepareShell() {
      const { packageManager } = JSON.parse(readFileSync(join(clone, 'package.json'), 'utf8'))
      const print = ['--package', packageManager, 'node', '--print', 'process.env.PATH']
      env.PATH = (await run('npx', ['--yes', ...print], { env, cwd: clone })).trim()
    },
    /** What is there once the clone is installed and built. */
    async prepare() {
      const { resolve } = createRequire(join(clone, 'package.json'))
      const load = (file) => import(pathToFileURL(file).href)
      tools.bundler = (await load(resolve('rolldown'))).rolldown
      tools.recording = (await load(join(clone, 'apps/demo/dist/script.js'))).answerBytes()
    },
  }
  return tools
}
