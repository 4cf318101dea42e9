// Whether types resolve and hold wherever a package is installed: one compilation for each way to resolve and each library, over all
// projects. Each file finds packages from its own folder, so every package is still alone.
//
// Platform types would not be: what one package brings in, all others would see. So none may be brought in.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const RESOLUTIONS = {
  nodenext: { module: 'nodenext', moduleResolution: 'nodenext' },
  bundler: { module: 'esnext', moduleResolution: 'bundler' },
}

// The types name web standards. A project has them from the DOM library, or from node's own types.
const LIBRARIES = {
  dom: { options: { lib: ['es2022', 'dom'], types: [] }, foreign: /\/@types\// },
  node: { options: { lib: ['es2022'], types: ['node'] }, foreign: /\/lib\.(?:dom|webworker)[.\w]*\.d\.ts$/ },
}

/** How a declaration would change what other packages see. */
const GLOBAL = /^\s*declare global\b|^\/\/\/ *<reference/m

/**
 * Both lists are of `{ folder, name, entries }`. `beside` is only looked at with node's types, which the project in `folder` has. Gives in
 * words what was compiled.
 */
export async function tryTypes({ alone, beside, folder, tools }) {
  const typeRoots = [join(folder, 'node_modules', '@types')]
  for (const [library, { options, foreign }] of Object.entries(LIBRARIES)) {
    const projects = library === 'node' ? [...alone, ...beside] : alone
    const files = projects.map((project) => everythingOf(project))
    for (const [resolution, how] of Object.entries(RESOLUTIONS)) {
      const all = { ...how, ...options, typeRoots, noEmit: true }
      const read = await compile({ folder, name: `${resolution}-${library}`, files, options: all, tools })
      const leak = read.find((file) => foreign.test(file))
      if (leak) throw new Error(`A package brings in types of a platform: ${leak}`)
      for (const project of projects) demandOwn(project, read)
    }
  }
  return [RESOLUTIONS, LIBRARIES].map((kinds) => Object.keys(kinds).join(' and ')).join(', each with ')
}

/** A file that takes all that can be taken. */
function everythingOf({ folder, entries }) {
  // Two of them may stand in one folder.
  const file = join(folder, `everything-${entries[0].specifier.replaceAll('/', '-')}.ts`)
  writeFileSync(file, entries.map(({ specifier }, index) => `export * as entry${index} from '${specifier}'\n`).join(''))
  return file
}

/**
 * Its declarations are among what was read, and are nobody else's business. Of the copies of a package that several projects have, the
 * compiler reads one: each project still has to find its own.
 */
function demandOwn({ name, entries }, read) {
  const place = `/node_modules/${name}/`
  for (const { types } of entries) {
    const end = place + types.replace(/^\.\//, '')
    if (!read.some((file) => file.endsWith(end))) throw new Error(`The types of ${name} are not taken from ${end}`)
  }
  const loud = read.find((file) => file.includes(place) && GLOBAL.test(readFileSync(file, 'utf8')))
  if (loud) throw new Error(`${loud} declares what is not its own`)
}

/** Gives the files that the compiler has read. */
export async function compile({ folder, name, files, options, tools }) {
  const compilerOptions = { strict: true, skipLibCheck: false, target: 'es2022', ...options }
  const config = `tsconfig.${name}.json`
  writeFileSync(join(folder, config), JSON.stringify({ compilerOptions, files }))
  const args = [tools.compiler, '-p', config, '--pretty', 'false']
  try {
    const said = await tools.node(folder, ...args, '--listFiles')
    return said
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean)
  } catch (error) {
    // The list has buried what is wrong.
    await tools.node(folder, ...args)
    throw error
  }
}
