// Proves that a new kind of fact, or a new way for a run to end, cannot be forgotten. It is added to a copy of the packages, and every
// match over facts (or over causes) in their sources must then be rejected by the type check: each place by itself, named by its line.
//
// Which places those are is asked apart from whether they are rejected: a first type check sees a `match` that accepts no value that
// may be the new one, so what it marks does not depend on how a match ends. Every `transcoder.ts` must have such a place.
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const NOVELTIES = [
  { union: 'Fact', file: 'packages/core/src/event.ts', alsoIn: ['packages/core/src/classify.ts'], encoders: true },
  {
    union: 'EndCause',
    file: 'packages/core/src/run.ts',
    alsoIn: ['packages/core/src/end-fact.ts', 'packages/core/src/end-run.ts'],
    encoders: false,
  },
]

const root = fileURLToPath(new URL('..', import.meta.url))
const copy = realpathSync(mkdtempSync(join(tmpdir(), 'factwire-exhaustive-')))

try {
  copyPackages()
  const sources = readdirSync(join(copy, 'packages'))
    .flatMap((name) => filesBelow(`packages/${name}/src`))
    .filter((file) => file.endsWith('.ts'))
  const encoders = sources.filter((file) => basename(file) === 'transcoder.ts')
  if (encoders.length === 0) throw new Error('No package encodes: found no packages/*/src/**/transcoder.ts')

  const chains = sources.flatMap(chainsOf)
  const faults = chains.flatMap(faultsOf)
  for (const novelty of NOVELTIES) faults.push(...judge(novelty, chains, novelty.encoders ? encoders : []))
  if (faults.length > 0) throw new Error(['', ...faults].join('\n'))
  console.log(`\nNothing new could be forgotten in: ${encoders.join(', ')}`)
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
} finally {
  rmSync(copy, { recursive: true, force: true })
}

// The links inside the packages are relative, so they lead to the copy; only third-party code is shared.
function copyPackages() {
  for (const file of ['package.json', 'tsconfig.json', 'tsconfig.base.json']) cpSync(join(root, file), join(copy, file))
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'dir')
  cpSync(join(root, 'packages'), join(copy, 'packages'), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => basename(path) !== 'dist',
  })
}

function filesBelow(folder) {
  const path = join(copy, folder)
  return existsSync(path) ? readdirSync(path, { recursive: true }).map((file) => join(folder, String(file))) : []
}

// ── What is written ──

/** Every `match(…)` of a file with the methods that are called on it. */
function chainsOf(file) {
  const text = readFileSync(join(copy, file), 'utf8')
  const imported = /^import (?:type )?\{([^}]*)\} from 'ts-pattern'/m.exec(text)?.[1]
  if (imported === undefined) {
    if (text.includes("'ts-pattern'")) throw new Error(`${file}: ts-pattern must be imported by name`)
    return []
  }
  if (/\bas\b/.test(imported)) throw new Error(`${file}: ts-pattern's names must not be changed: ${imported.trim()}`)
  const code = blank(text)
  return [...code.matchAll(/(?<![\w.$])match(?=[<(])/g)].map(({ index }) => ({
    file,
    ...placeOf(code, index),
    calls: callsFrom(code, index + 'match'.length),
  }))
}

/** The same text with spaces for what is in comments and strings, so that brackets are brackets. */
function blank(text) {
  const quiet = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`/g
  return text.replace(quiet, (part) => part.replace(/[^\n]/g, ' '))
}

function placeOf(code, index) {
  const before = code.slice(0, index).split('\n')
  return { line: before.length, column: before.at(-1).length + 1 }
}

/** `.name<…>(…)`, as often as it follows. */
function callsFrom(code, start) {
  const calls = []
  let at = endOfArguments(code, start)
  for (let next; (next = /^\s*\.\s*(\w+)/.exec(code.slice(at)));) {
    const named = at + next[0].length
    const end = endOfArguments(code, named)
    calls.push({ name: next[1], given: code.slice(named, end), line: placeOf(code, named - 1).line })
    at = end
  }
  return calls
}

/** Where a `<…>`, if there is one, and the `(…)` behind it end. */
function endOfArguments(code, start) {
  let types = 0
  let at = start
  while (at < code.length && (types > 0 || code[at] !== '(')) {
    if (code[at] === '<') types++
    // The head of an arrow is no bracket.
    else if (code[at] === '>' && code[at - 1] !== '=') types--
    at++
  }
  for (let depth = 0; at < code.length; at++) {
    if (code[at] === '(') depth++
    else if (code[at] === ')' && --depth === 0) return at + 1
  }
  return at
}

/** How a match could let something new pass without a word. */
function faultsOf({ file, line, calls }) {
  const last = calls.at(-1)
  const faults = []
  if (last?.name !== 'exhaustive' || last.given !== '()') {
    faults.push(`ends in .${last?.name ?? 'nothing'}${last?.given ?? ''} instead of .exhaustive()`)
  }
  for (const { name, given } of calls) {
    if (name === 'when') faults.push('uses .when')
    for (const [wildcard] of given.matchAll(
      /\bP\s*\.\s*(?:_|any|unknown|when|not|nonNullable)\b|\bP\s*\.\s*select\s*\(\s*\)/g,
    )) {
      faults.push(`uses ${wildcard}`)
    }
  }
  return faults.map((fault) => `${file}:${line} ${fault}`)
}

// ── What is rejected ──

function judge({ union, file, alsoIn }, chains, encoders) {
  const path = join(copy, file)
  const source = readFileSync(path, 'utf8')
  const start = new RegExp(`^export type ${union}\\s*=\\s*\\|?`, 'm')
  if (!start.test(source)) throw new Error(`No \`export type ${union} =\` in ${file}`)
  const novel = `export interface Novelty { readonly type: 'novelty' }`
  writeFileSync(path, `${source.replace(start, `export type ${union} = Novelty |`)}\n${novel}\n`)

  const probe = writeProbe(file)
  const met = new Set(diagnostics(probe).flatMap(({ place, text }) => (text.includes('error TS2554: ') ? [place] : [])))
  const concerned = chains.filter((chain) => met.has(`${chain.file}:${chain.line}:${chain.column}`))
  const rejected = new Set(
    diagnostics({}).flatMap(({ file: where, line, text }) =>
      /NonExhaustiveError<.*\bNovelty\b/.test(text) ? [`${where}:${line}`] : [],
    ),
  )
  writeFileSync(path, source)

  const faults = [...encoders, ...alsoIn]
    .filter((name) => !concerned.some((chain) => chain.file === name))
    .map((name) => `${name} has no match over every ${union}`)
  console.log(`${union}:`)
  for (const { file: where, line, calls } of concerned) {
    const caught = rejected.has(`${where}:${calls.at(-1)?.line}`)
    console.log(`  ${where}:${line}  ${caught ? 'rejected' : 'COMPILES ALTHOUGH IT IS NOT HANDLED'}`)
    if (!caught) faults.push(`${where}:${line} compiles although a new ${union} is not handled`)
  }
  return faults
}

/** A `match` that wants one argument more where its value may be the new one. */
function writeProbe(file) {
  const source = `
    import type { Novelty } from './${file}'
    export declare const P: any
    export declare function match<const Value, _ = unknown>(value: Value, ...rest: [Novelty] extends [Value] ? [Novelty] : []): any`
  writeFileSync(join(copy, 'probe.ts'), source)
  return { paths: { 'ts-pattern': ['./probe.ts'] } }
}

function diagnostics(options) {
  const config = { extends: './tsconfig.json', compilerOptions: options, include: ['packages/*/src'] }
  writeFileSync(join(copy, 'tsconfig.novelty.json'), JSON.stringify(config))
  const tsc = join(root, 'node_modules/.bin/tsc')
  const { stdout, error } = spawnSync(tsc, ['-p', 'tsconfig.novelty.json', '--pretty', 'false'], {
    cwd: copy,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  if (error) throw error
  if (/^error /m.test(stdout)) throw new Error(stdout)
  const found = []
  for (const line of stdout.split('\n')) {
    const place = /^(?<file>\S.*?)\((?<line>\d+),(?<column>\d+)\): error /.exec(line)?.groups
    if (place) found.push({ ...place, place: `${place.file}:${place.line}:${place.column}`, text: line })
    // What follows indented explains the same error.
    else if (found.length > 0) found.at(-1).text += ` ${line.trim()}`
  }
  return found
}
