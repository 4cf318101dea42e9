/** What a browser loads for some exports of packages: bundled, made small, compressed. */
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { entryOf } from './wires.ts'

export interface Import {
  readonly from: URL
  readonly names: readonly string[]
}

export interface Bundle {
  readonly bytes: number
  readonly gzip: number
  readonly brotli: number
  readonly packages: readonly Part[]
}

/** A package that something of is in the bundle. */
export interface Part {
  readonly name: string
  /** Of all the code, before it is made small; from 0 to 1. */
  readonly share: number
}

/** What it takes to turn events into the text of a wire. */
export const encoderOf = (wire: string): readonly Import[] => [
  { from: entryOf('core'), names: ['writer'] },
  { from: entryOf(wire), names: ['transcoder', 'framing'] },
]

const ENTRY = 'entry'

export async function bundle(imports: readonly Import[]): Promise<Bundle> {
  const source = imports.map(
    ({ from, names }) => `export { ${names.join(', ')} } from ${JSON.stringify(fileURLToPath(from))}`,
  )
  const build = await rolldown({
    input: ENTRY,
    platform: 'browser',
    plugins: [
      {
        name: ENTRY,
        resolveId: (id) => (id === ENTRY ? id : undefined),
        load: (id) => (id === ENTRY ? source.join('\n') : undefined),
      },
    ],
  })
  const { output } = await build.generate({ format: 'esm', minify: true })
  const [{ code, modules }] = output
  const lengths = new Map<string, number>()
  for (const [path, { renderedLength }] of Object.entries(modules)) {
    const name = packageOf(path)
    if (name !== undefined && renderedLength > 0) lengths.set(name, (lengths.get(name) ?? 0) + renderedLength)
  }
  const total = [...lengths.values()].reduce((sum, length) => sum + length, 0)
  return {
    bytes: Buffer.byteLength(code),
    gzip: gzipSync(code, { level: 9 }).length,
    brotli: brotliCompressSync(code).length,
    packages: [...lengths].map(([name, length]) => ({ name, share: length / total })),
  }
}

/** By the last folder of packages in a path; undefined for the entry. */
function packageOf(path: string): string | undefined {
  const installed = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]
  const own = /.*\/packages\/([^/]+)\//.exec(path)?.[1]
  return installed ?? (own === undefined ? undefined : `@factwire/${own}`)
}
