// Runs after a build: see `release/sweep.mjs`.
import { fileURLToPath } from 'node:url'
import { publicPackages } from './release/packages.mjs'
import { sweep } from './release/sweep.mjs'

for (const { path } of publicPackages(fileURLToPath(new URL('..', import.meta.url)))) sweep(path)
