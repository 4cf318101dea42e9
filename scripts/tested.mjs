// What is published has to be what was tested, and a release is built again by the job that may publish.
//
// `npm run tested` builds what is published and says one hash of all of it, to GitHub too. `node scripts/tested.mjs`, in the middle of
// `pnpm run release`, compares: with `FACTWIRE_TESTED`, where somebody says what it has to be.
import { createHash } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { fingerprint } from './release/fingerprint.mjs'
import { publicPackages } from './release/packages.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const { FACTWIRE_TESTED: tested, GITHUB_OUTPUT: output } = process.env

const all = createHash('sha256')
for (const { name, path, manifest } of publicPackages(root)) {
  const files = fingerprint(path, ['package.json', 'README.md', ...manifest.files])
  for (const [file, hash] of [...files].toSorted(([one], [other]) => (one < other ? -1 : 1)))
    all.update(`${name} ${file} ${hash}\n`)
}
const built = all.digest('hex')

if (process.argv.includes('--say')) {
  console.log(`tested=${built}`)
  if (output) appendFileSync(output, `tested=${built}\n`)
} else if (tested !== undefined && tested !== built) {
  console.error(`What was built is ${built}, and what was tested is ${tested || 'not said'}: nothing is published.`)
  process.exitCode = 1
}
