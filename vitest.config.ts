import { defineConfig } from 'vitest/config'

// Tests read the sources of other packages, so nothing has to be built before them.
const conditions = ['@factwire/source', 'module', 'node', 'development|production']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // Properties try many runs, and the machine may be busy.
    testTimeout: 60_000,
    include: ['{packages,apps}/*/test/**/*.test.ts', 'scripts/test/*.test.mjs'],
    // `tsc -p .` reports what is wrong in the sources; here only type promises count.
    typecheck: { enabled: true, include: ['{packages,apps}/*/test/**/*.test-d.ts'], ignoreSourceErrors: true },
  },
})
