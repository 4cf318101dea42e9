import { readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (path) => readFileSync(root + path, 'utf8')
const workflows = readdirSync(`${root}.github/workflows`).map((name) => `.github/workflows/${name}`)

test.each(workflows)('%s names every action by its commit, and says which version that is', (path) => {
  const actions = read(path).match(/uses: .*/g)
  expect(actions).not.toBeNull()
  expect(actions.filter((line) => !/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([])
})

test.each(workflows)('%s begins with no permission but to read', (path) => {
  expect(read(path)).toMatch(/^permissions:(?: \{\}|\n {2}contents: read)$/m)
})

test.each(workflows)('%s names no registry and lets no job run for ever', (path) => {
  const text = read(path)
  expect(text).not.toMatch(/https?:\/\/|registry-url/)
  expect(text.match(/timeout-minutes:/g)).toHaveLength(text.match(/runs-on:/g).length)
})

test('only the job that publishes can say who it is', () => {
  const [before, publishing] = read('.github/workflows/release.yml').split(/^ {2}publish:$/m)
  expect(before).not.toContain('id-token')
  expect(publishing).toContain('id-token: write')
})

test('one version of pnpm everywhere', () => {
  const { packageManager } = JSON.parse(read('package.json'))
  const files = ['package.json', 'CONTRIBUTING.md', 'AGENTS.md', ...workflows]
  const named = files.flatMap((path) => read(path).match(/pnpm@\d+\.\d+\.\d+/g) ?? [])
  expect(named.length).toBeGreaterThan(workflows.length)
  expect(named.filter((each) => each !== packageManager)).toEqual([])
})
