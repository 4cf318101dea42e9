// Packs every published package and looks at the archives as those who install them would: is the manifest complete and like the others,
// is everything there that was built and nothing else, do publint and Are the Types Wrong agree with what it exports. Needs a build.
import { createPackageFromTarballData, checkPackage } from '@arethetypeswrong/core'
import { filterProblems } from '@arethetypeswrong/core/problems'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { archiveFaults, manifestFaults } from './release/manifest.mjs'
import { pack } from './release/pack.mjs'
import { entriesOf, publicPackages } from './release/packages.mjs'
import { sweep } from './release/sweep.mjs'

// The packages are ES modules: how CommonJS before Node 20.19, or a resolver from before `exports`, sees them says nothing.
const RESOLUTIONS = ['node16-esm', 'bundler']

const root = fileURLToPath(new URL('..', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'factwire-packages-'))
try {
  process.exitCode = await main()
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

async function main() {
  const workspace = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const packages = publicPackages(root)
  for (const { path } of packages) sweep(path)
  const archives = pack({ root, packages, folder: scratch })
  let failed = 0
  for (const each of packages) {
    const archive = readFileSync(archives.get(each.name))
    const contents = createPackageFromTarballData(archive)
    const prefix = `/node_modules/${each.name}/`
    const files = contents.listFiles(prefix.slice(0, -1)).map((file) => file.slice(prefix.length))
    const packed = JSON.parse(contents.readFile(`${prefix}package.json`))
    const faults = [
      ...manifestFaults(each, workspace),
      ...archiveFaults(each, files),
      ...unresolved(packed),
      ...(await lint(archive)),
      ...(entriesOf(each).length > 0 ? await resolve(contents) : []),
    ]
    console.log(
      `${each.name.padEnd(24)}${String(files.length).padStart(4)} files${String(archive.length).padStart(9)} bytes`,
    )
    for (const fault of faults) console.log(`  ✗ ${fault}`)
    failed += faults.length
  }
  return failed > 0 ? 1 : 0
}

/** Protocols of the workspace that nobody outside can resolve. */
function unresolved(manifest) {
  const kinds = ['dependencies', 'peerDependencies', 'optionalDependencies']
  return kinds.flatMap((kind) =>
    Object.entries(manifest[kind] ?? {})
      .filter(([, range]) => /^(?:workspace|catalog|link|file):/.test(range))
      .map(([name, range]) => `${kind}.${name} is published as ${range}`),
  )
}

async function lint(archive) {
  const tarball = archive.buffer.slice(archive.byteOffset, archive.byteOffset + archive.byteLength)
  const { messages, pkg } = await publint({ pack: { tarball }, strict: true })
  return messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false })}`)
}

async function resolve(contents) {
  const analysis = await checkPackage(contents)
  if (!analysis.types) return ['attw: there are no types']
  const problems = RESOLUTIONS.flatMap((resolutionKind) => filterProblems(analysis, { resolutionKind }))
  return [...new Set(problems)].map((problem) => `attw: ${JSON.stringify(problem)}`)
}
