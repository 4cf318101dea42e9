// Where the packages come from. Publishing with provenance is refused to packages that do not say so, and before the first release nobody
// has said it.
//
// `node scripts/repository.mjs <url>` writes it into the root and into every published package, `node scripts/repository.mjs` fails where
// it is missing: `pnpm run release` begins with that.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { publicPackages } from './release/packages.mjs'
import { repositoryOf, withRepository } from './release/repository.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const [url] = process.argv.slice(2)
const read = (folder) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))

if (url === undefined) demand()
else set(url)

function demand() {
  const { repository } = read('.')
  const without = publicPackages(root).filter(({ manifest }) => manifest.repository === undefined)
  if (repository !== undefined && without.length === 0) return
  console.error(
    [
      'The packages do not say which repository they come from, so nobody can vouch for them, and publishing is refused.',
      'Set it once, with the address of the repository as people clone it:',
      '',
      '  node scripts/repository.mjs https://…/….git',
      '',
      `Not set in: ${repository === undefined ? 'package.json' : without.map(({ folder }) => folder).join(', ')}`,
    ].join('\n'),
  )
  process.exitCode = 1
}

function set(address) {
  const repository = repositoryOf(address)
  for (const folder of ['.', ...publicPackages(root).map((each) => each.folder)]) {
    const manifest = withRepository(read(folder), repository, folder)
    writeFileSync(join(root, folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
    console.log(`${folder}/package.json`)
  }
}
