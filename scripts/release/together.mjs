// One project that has every published package, and what their READMEs tell a reader to install: what the READMEs show is compiled and
// loaded there, and what the examples promise is tested.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { copiesOf, loads, offered } from './alone.mjs'
import { examples, imports, installs, packageOf } from './readme.mjs'
import { RESOLUTIONS, compile } from './types.mjs'

const EXAMPLES = 'apps/demo/test/examples.test.ts'

/** As their readers would: everything that some README names, unless `folder` has it already. */
export async function installTogether({ packages, folder, clone, tools }) {
  const named = readmes(packages, clone).flatMap(({ text }) => installs(text) ?? [])
  const optional = packages.flatMap((published) => offered(published).optional)
  const wanted = new Set([...named, ...optional, ...packages.map(({ name }) => name)])
  const had = copiesOf(folder)
  const missing = [...wanted].filter((words) => !had.some((copy) => isCopyOf(words, copy)))
  await tools.npm(folder, 'install', ...missing, ...tools.versions('@types/node', '@types/express', 'eventsource'))
  const installed = new Set(copiesOf(folder))
  const other = packages.find(({ name, manifest }) => !installed.has(`${name}@${manifest.version}`))
  if (other) throw new Error(`${other.name} is installed, but not as ${other.manifest.version}`)
  for (const published of packages) {
    const { beside, peers } = offered(published)
    for (const { specifier } of beside) await loads(folder, specifier, peers, tools)
  }
  return `${installed.size} packages`
}

/** Whether `name@version` is what a README calls `name`, or `name@` and how its version begins. */
function isCopyOf(words, copy) {
  const name = packageOf(words)
  return copy.startsWith(words === name ? `${name}@` : `${words}.`)
}

/** Compiles what the READMEs show, and loads it. What an example imports has to be among what its README says to install. */
export async function tryReadmes({ packages, folder, clone, tools }) {
  mkdirSync(join(folder, 'readmes'))
  const files = readmes(packages, clone).flatMap(({ path, text }) =>
    examples(text).flatMap((code, index) => {
      // One that goes on with another is tried where both stand: in the tests of its package.
      if (imports(code).some((name) => name.startsWith('.'))) return []
      const known = new Set(installs(text)?.map(packageOf))
      const missing = imports(code).find((name) => !isBuiltin(name) && !known.has(name))
      if (missing) throw new Error(`${path} shows an example that imports ${missing}, and does not say to install it`)
      const file = `readmes/${path.replaceAll('/', '-')}-${index + 1}.ts`
      writeFileSync(join(folder, file), code)
      return [file]
    }),
  )
  if (files.length === 0) throw new Error('they show no example')
  const options = { ...RESOLUTIONS.nodenext, lib: ['es2022', 'dom', 'dom.asynciterable'], types: ['node'] }
  await compile({ folder, name: 'readmes', files, options, tools })
  for (const file of files) await tools.node(folder, file.replace(/\.ts$/, '.js'))
  return `${files.length} examples`
}

/** Runs the tests of all examples, where there are the published packages and no source of theirs. */
export async function tryAtWork({ packages, folder, clone, tools }) {
  for (const path of [
    ...readmes(packages, clone).map(({ path }) => path),
    'apps/demo/src',
    'apps/examples/src',
    'apps/provider/src',
    EXAMPLES,
  ]) {
    cpSync(join(clone, path), join(folder, path), { recursive: true })
  }
  const said = await tools.node(folder, 'node_modules/vitest/vitest.mjs', 'run', EXAMPLES)
  return /Tests\s+(\d+ passed)/.exec(said)?.[1]
}

function readmes(packages, clone) {
  const paths = ['README.md', ...packages.map(({ folder }) => `${folder}/README.md`)]
  return paths.map((path) => ({ path, text: readFileSync(join(clone, path), 'utf8') }))
}
