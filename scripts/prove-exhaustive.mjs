// Proves that a new kind of fact cannot be forgotten: adds `NovelFact` to the `Fact` union in a copy of the packages and
// expects the type check to reject core and every package that encodes: one whose sources hold a `transcoder.ts`.
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const copy = realpathSync(mkdtempSync(join(tmpdir(), 'factwire-exhaustive-')))

try {
  copyPackages()
  addNovelFact(join(copy, 'packages/core/src/event.ts'))
  judge(filesThatMissNovelFact())
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

function addNovelFact(path) {
  const source = readFileSync(path, 'utf8')
  const union = /^export type Fact\s*=\s*\|?/m
  if (!union.test(source)) throw new Error(`No \`export type Fact =\` in ${path}`)
  const novel = "export interface NovelFact { readonly type: 'novel_fact' }"
  writeFileSync(path, `${source.replace(union, 'export type Fact = NovelFact |')}\n${novel}\n`)
}

/** The places, by file, where a match that must handle every fact does not compile any more. */
function filesThatMissNovelFact() {
  const tsc = join(root, 'node_modules/.bin/tsc')
  const { stdout, error } = spawnSync(tsc, ['-p', '.', '--pretty', 'false'], { cwd: copy, encoding: 'utf8' })
  if (error) throw error
  const lines = new Map()
  let place
  for (const line of stdout.split('\n')) {
    place = /^(?<file>\S.*?)\((?<line>\d+),\d+\): error /.exec(line)?.groups ?? place
    if (place && /NonExhaustiveError<.*\bNovelFact\b/.test(line)) {
      lines.set(place.file, [...(lines.get(place.file) ?? []), place.line])
    }
  }
  return lines
}

function judge(found) {
  const encoders = readdirSync(join(root, 'packages')).filter((name) => hasTranscoder(name))
  const rows = [...found].map(([file, lines]) => [file, `rejected at line ${lines.join(', ')}`])
  const silent = new Set(['core', ...encoders])
  for (const file of found.keys()) silent.delete(/^packages\/([^/]+)\/src\//.exec(file)?.[1])
  for (const name of silent) rows.push([`packages/${name}`, 'COMPILES ALTHOUGH NovelFact IS UNHANDLED'])

  const width = Math.max(...rows.map(([file]) => file.length), 0)
  for (const [file, verdict] of rows) console.log(`${file.padEnd(width)}  ${verdict}`)

  if (encoders.length === 0) throw new Error('No package encodes: found no packages/*/src/**/transcoder.ts')
  if (silent.size > 0) throw new Error(`A new fact could be forgotten in: ${[...silent].join(', ')}`)
  console.log(`No package that encodes compiles with an unhandled fact: ${encoders.join(', ')}`)
}

function hasTranscoder(name) {
  const sources = join(root, 'packages', name, 'src')
  return (
    existsSync(sources) && readdirSync(sources, { recursive: true }).some((file) => basename(file) === 'transcoder.ts')
  )
}
