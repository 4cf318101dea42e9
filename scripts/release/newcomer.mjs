// What somebody does who has the clone, and nothing is published yet: the demo, and the packages in a project of their own.
import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { copiesOf, emptyProject } from './alone.mjs'
import { blocksOf } from './readme.mjs'

export async function tryDemo({ clone, tools }) {
  return `${(await tools.npm(clone, 'run', 'demo')).split('\n').length} lines`
}

/** The lines of README.md, as they stand there. */
export async function tryUnpublished({ clone, packages, tools }) {
  const readme = readFileSync(join(clone, 'README.md'), 'utf8')
  const lines = blocksOf(readme, 'sh').find((block) => block.startsWith('npm run pack'))
  const project = /^cd \.\.\/(\S+)$/m.exec(lines ?? '')?.[1]
  if (project === undefined || !lines.includes(`../${basename(clone)}/packed/`))
    throw new Error(`README.md does not say how to try what is not published:\n${lines}`)
  const folder = join(dirname(clone), project)
  emptyProject(folder)
  await tools.bash(clone, '-e', '-c', lines)
  const installed = new Set(copiesOf(folder))
  const some = packages.filter(({ name, manifest }) => installed.has(`${name}@${manifest.version}`))
  if (some.length === 0) throw new Error(`nothing of ours is installed, but ${[...installed].join(', ')}`)
  for (const { name } of some) await tools.node(folder, '--input-type=module', '--eval', `import '${name}'`)
  return `${some.length} packages from their archives`
}
