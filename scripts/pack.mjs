// Packs every package into `packed`, for whoever wants to try one that is not published. Needs a build: `npm run pack` makes it.
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pack } from './release/pack.mjs'
import { publicPackages } from './release/packages.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'packed')
// What was packed earlier may be of another version.
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder)
for (const file of pack({ root, packages: publicPackages(root), folder }).values()) console.log(file)
