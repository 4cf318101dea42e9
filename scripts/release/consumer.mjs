// An empty project that installs one published package, and what has to work in it: every module system, every way to resolve types, a
// bundle for browsers, and what the README shows.
import { isBuiltin } from 'node:module'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { differences, fingerprint } from './fingerprint.mjs'
import { entriesOf } from './packages.mjs'
import { calls, examples, installs } from './readme.mjs'

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

// The types name web standards. A project has them from the DOM library, or from node's own types.
const LIBRARIES = { dom: { lib: ['es2022', 'dom'], types: [] }, node: { lib: ['es2022'], types: ['node'] } }
const RESOLUTIONS = {
  nodenext: { module: 'nodenext', moduleResolution: 'nodenext' },
  bundler: { module: 'esnext', moduleResolution: 'bundler' },
}

export function emptyProject(folder) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
}

/** `tools`: how to run things, the bundler, the compiler, the version of node's types. Gives what was looked at, in words. */
export async function consume({ published, folder, built, tools }) {
  const { name, manifest } = published
  const entries = entriesOf(published)
  const peers = Object.keys(manifest.peerDependencies ?? {})
  // What it only offers to use is not there when it is installed alone.
  const optional = peers.filter((peer) => manifest.peerDependenciesMeta?.[peer]?.optional)
  const alone = optional.length > 0 ? entries.slice(0, 1) : entries

  emptyProject(folder)
  await tools.npm(folder, 'install', `${name}@${manifest.version}`)
  expectSameFiles(join(folder, 'node_modules', name), published, built)
  const readme = readFileSync(join(folder, 'node_modules', name, 'README.md'), 'utf8')
  const programs = manifest.bin ? await tryPrograms({ published, folder, readme, tools }) : 0
  if (entries.length === 0) return ['files', `${programs} calls of its README`]
  for (const { specifier } of alone) await loads(folder, specifier, peers, tools)
  await resolves(folder, alone, 'dom', tools)

  const needed = [...optional, ...neededFor(readme, tools)]
  await tools.npm(folder, 'install', ...needed)
  for (const { specifier } of entries.slice(alone.length)) await loads(folder, specifier, peers, tools)
  await resolves(folder, entries, 'node', tools)
  const shown = await tryExamples({ folder, readme, tools })
  return ['files', 'import', 'require', 'browser', 'types', ...(shown > 0 ? [`${shown} of its README`] : [])]
}

async function resolves(folder, entries, library, tools) {
  const file = `everything-${library}.ts`
  const imports = entries.map(({ specifier }, index) => `export * as entry${index} from '${specifier}'\n`).join('')
  writeFileSync(join(folder, file), imports)
  for (const [resolution, options] of Object.entries(RESOLUTIONS)) {
    await compile(
      folder,
      `${resolution}-${library}`,
      [file],
      { ...options, ...LIBRARIES[library], noEmit: true },
      tools,
    )
  }
}

function expectSameFiles(installed, { manifest }, built) {
  const faults = differences(built, fingerprint(installed, [...manifest.files, 'README.md', 'LICENSE']))
  if (faults.length > 0) throw new Error(`What was published is not what was built:\n${faults.join('\n')}`)
  const text = readFileSync(join(installed, 'package.json'), 'utf8')
  const kept = /"(?:workspace|catalog):[^"]*"/.exec(text)
  if (kept) throw new Error(`package.json still says ${kept[0]}`)
}

/** It must give the same names however it is loaded. */
async function loads(folder, specifier, peers, tools) {
  const print = 'console.log(JSON.stringify(Object.keys(it).sort()))'
  const imported = await tools.node(
    folder,
    '--input-type=module',
    '--eval',
    `import * as it from '${specifier}'; ${print}`,
  )
  const required = await tools.node(
    folder,
    '--input-type=commonjs',
    '--eval',
    `const it = require('${specifier}'); ${print}`,
  )
  if (imported !== required) throw new Error(`${specifier}: import gives ${imported}, require ${required}`)
  if (imported.trim() === '[]') throw new Error(`${specifier} exports nothing`)
  await bundles(folder, specifier, peers, imported, tools)
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

async function compile(folder, name, files, options, tools) {
  const compilerOptions = { strict: true, skipLibCheck: false, target: 'es2022', ...options }
  const config = `tsconfig.${name}.json`
  writeFileSync(join(folder, config), JSON.stringify({ compilerOptions, files }))
  await tools.node(folder, tools.compiler, '-p', config, '--pretty', 'false')
}

/** What a reader of the README installs, with the types of the platform. */
export function neededFor(readme, { nodeTypes }) {
  const needed = installs(readme)
  if (!needed && examples(readme).length > 0)
    throw new Error('The README shows an example, but not what to install for it')
  return [`@types/node@${nodeTypes}`, ...(needed ?? [])]
}

/** Compiles and loads what the README shows. Gives the number of examples. */
export async function tryExamples({ folder, readme, tools }) {
  const shown = examples(readme)
  if (shown.length === 0) return 0
  const files = shown.map((_, index) => `example-${index + 1}.ts`)
  for (const [index, code] of shown.entries()) writeFileSync(join(folder, files[index]), code)
  const options = { ...RESOLUTIONS.nodenext, lib: ['es2022', 'dom', 'dom.asynciterable'], types: ['node'] }
  await compile(folder, 'examples', files, options, tools)
  for (const file of files) await tools.node(folder, file.replace('.ts', '.js'))
  return shown.length
}

/** A program has to say what it can do, and to do what its README shows. */
async function tryPrograms({ published: { name, manifest }, folder, readme, tools }) {
  let shown = 0
  for (const program of Object.keys(manifest.bin)) {
    const help = await tools.npx(folder, program, '--help')
    if (!help.includes(program)) throw new Error(`${program} --help does not say how to call it: ${help}`)
    for (const words of calls(readme, program)) {
      // Whatever recording the README speaks of, a reader has one.
      for (const file of words.filter((word) => word.endsWith('.txt')))
        writeFileSync(join(folder, file), tools.recording)
      const said = await tools.npx(folder, program, ...words)
      if (said.trim() === '') throw new Error(`${program} ${words.join(' ')} says nothing`)
      shown++
    }
  }
  if (shown === 0) throw new Error(`The README of ${name} shows no call`)
  return shown
}
