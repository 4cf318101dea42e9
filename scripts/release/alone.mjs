// An empty project that installs one published package and nothing else, and what has to work in it: every module system, a bundle for
// browsers, and the calls that the README of a program shows. What types say is looked at for all such projects at once: `types.mjs`.
import { isBuiltin } from 'node:module'
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { differences, fingerprint } from './fingerprint.mjs'
import { entriesOf } from './packages.mjs'
import { calls } from './readme.mjs'

/** What a page has beyond the language itself. */
const WEB = {
  TextDecoder,
  TextEncoder,
  ReadableStream,
  Response,
  Request,
  Headers,
  URL,
  AbortController,
  setTimeout,
  clearTimeout,
}

/** A project without anything, in a folder of its own. */
export function emptyProject(folder) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
}

/** What a package offers to those who install it alone (`alone`), and to those who install what it only offers to use (`beside`). */
export function offered(published) {
  const { peerDependencies = {}, peerDependenciesMeta = {} } = published.manifest
  const peers = Object.keys(peerDependencies)
  const isOptional = (peer) => peerDependenciesMeta[peer]?.optional === true
  const [optional, required] = [peers.filter(isOptional), peers.filter((peer) => !isOptional(peer))]
  const entries = entriesOf(published)
  const split = optional.length > 0 ? 1 : entries.length
  return { peers, optional, required, alone: entries.slice(0, split), beside: entries.slice(split) }
}

/** `built` has the hashes of what was built and tested. Gives what was looked at, in words. */
export async function tryAlone({ published, folder, built, tools }) {
  const { name, manifest } = published
  emptyProject(folder)
  await tools.npm(folder, 'install', `${name}@${manifest.version}`)
  expectSameFiles(join(folder, 'node_modules', name), published, built)
  const { alone, peers } = offered(published)
  const looked = ['files']
  const inPages = !isCompiled(folder)
  for (const { specifier } of alone) await loads(folder, specifier, peers, tools, inPages)
  if (alone.length > 0) looked.push('import', 'require', ...(inPages ? ['browser'] : []))
  if (manifest.bin) looked.push(`${await tryPrograms({ published, folder, tools })} calls of its README`)
  return [...looked, `${copiesOf(folder).length} packages`].join(', ')
}

/** `name@version` of everything that a project has installed. */
export function copiesOf(folder) {
  const modules = join(folder, 'node_modules')
  const { packages } = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8'))
  return Object.entries(packages).map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`)
}

function expectSameFiles(installed, { manifest }, built) {
  const faults = differences(built, fingerprint(installed, [...manifest.files, 'README.md', 'LICENSE']))
  const known = new Set([...manifest.files, 'README.md', 'LICENSE', 'package.json'])
  faults.push(...readdirSync(installed).flatMap((file) => (known.has(file) ? [] : `${file} is one too many`)))
  if (faults.length > 0) throw new Error(`What was published is not what was built:\n${faults.join('\n')}`)
  const text = readFileSync(join(installed, 'package.json'), 'utf8')
  const kept = /"(?:workspace|catalog):[^"]*"/.exec(text)
  if (kept) throw new Error(`package.json still says ${kept[0]}`)
}

/** It must give the same names however it is loaded. */
export async function loads(folder, specifier, peers, tools, inPages = true) {
  const print = 'console.log(JSON.stringify(Object.keys(it).sort()))'
  const evaluate = (type, code) => tools.node(folder, `--input-type=${type}`, '--eval', `${code}; ${print}`)
  const imported = await evaluate('module', `import * as it from '${specifier}'`)
  const required = await evaluate('commonjs', `const it = require('${specifier}')`)
  if (imported !== required) throw new Error(`${specifier}: import gives ${imported}, require ${required}`)
  if (imported.trim() === '[]') throw new Error(`${specifier} exports nothing`)
  if (inPages) await bundles(folder, specifier, peers, imported, tools)
}

/** What is compiled for a machine when it is installed runs in no page. */
function isCompiled(folder) {
  const { packages } = JSON.parse(readFileSync(join(folder, 'node_modules', '.package-lock.json'), 'utf8'))
  return Object.values(packages).some(({ hasInstallScript }) => hasInstallScript)
}

async function bundles(folder, specifier, peers, expected, { bundler }) {
  const input = join(folder, 'page.js')
  writeFileSync(input, `export * from '${specifier}'\n`)
  const external = (id) => peers.some((peer) => id === peer || id.startsWith(`${peer}/`))
  const warnings = []
  const onLog = (_level, { message }) => warnings.push(message)
  const build = await bundler({ input, cwd: folder, platform: 'browser', external, onLog, logLevel: 'warn' })
  const { output } = await build.generate({ format: 'esm' })
  const imports = output.flatMap((chunk) => [...(chunk.imports ?? []), ...(chunk.dynamicImports ?? [])])
  const builtin = imports.find((id) => isBuiltin(id))
  if (builtin) throw new Error(`${specifier} needs ${builtin}, which no browser has`)
  if (warnings.length > 0) throw new Error(`${specifier} does not bundle for browsers: ${warnings.join('\n')}`)
  // What is left to the peers cannot run here without them.
  if (imports.length > 0) return
  const { output: scripts } = await build.generate({ format: 'iife', name: 'it' })
  const names = runInNewContext(`${scripts[0].code};JSON.stringify(Object.keys(it).sort())`, { ...WEB })
  if (names !== expected.trim()) throw new Error(`${specifier} exports ${names} in a browser, not ${expected}`)
}

/** A program has to say what it can do, and to do what its README shows. npx finds it once; what it does is asked of itself. */
async function tryPrograms({ published: { name, manifest }, folder, tools }) {
  const readme = readFileSync(join(folder, 'node_modules', name, 'README.md'), 'utf8')
  let shown = 0
  for (const program of Object.keys(manifest.bin)) {
    const help = await tools.npx(folder, program, '--help')
    if (!help.includes(program)) throw new Error(`${program} --help does not say how to call it: ${help}`)
    for (const words of calls(readme, program)) {
      // Whatever recording the README speaks of, a reader has one.
      for (const file of words.filter((word) => word.endsWith('.txt')))
        writeFileSync(join(folder, file), tools.recording)
      const said = await tools.program(folder, program, ...words)
      if (said.trim() === '') throw new Error(`${program} ${words.join(' ')} says nothing`)
      shown++
    }
  }
  if (shown === 0) throw new Error(`The README of ${name} shows no call`)
  return shown
}
