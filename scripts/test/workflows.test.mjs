import { accessSync, constants, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { afterAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (path) => readFileSync(root + path, 'utf8')
const workflows = readdirSync(`${root}.github/workflows`).map((name) => `.github/workflows/${name}`)

// GitHub's parser imports JSON as only bundlers do.
const folder = mkdtempSync(join(tmpdir(), 'factwire-workflows-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = join(folder, 'parser.mjs')
const build = await rolldown({ input: '@actions/workflow-parser', cwd: root, platform: 'node', logLevel: 'silent' })
await build.write({ file, format: 'esm' })
const { NoOperationTraceWriter, convertWorkflowTemplate, parseWorkflow } = await import(file)

/** The jobs of a workflow, and what is wrong with it. */
async function parsed(content) {
  const { context, value } = parseWorkflow({ name: 'workflow.yml', content }, new NoOperationTraceWriter())
  const { jobs = [] } = value ? await convertWorkflowTemplate(context, value, undefined, { errorPolicy: 1 }) : {}
  return { jobs, errors: context.errors.getErrors().map(({ message }) => message) }
}

function canRun(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

test.each(workflows)('%s is a workflow', async (path) => {
  const { jobs, errors } = await parsed(read(path))
  expect(errors).toEqual([])
  expect(jobs.length).toBeGreaterThan(0)
})

test.each([
  ['timeout-minutes:', 'timeout-minuts:', 'timeout-minuts'],
  ['contents: write', 'contents: wrote', 'wrote'],
  ['needs.version.outputs', 'need.version.outputs', 'need'],
  ['needs: version', 'needs: versions', 'versions'],
  ['runs-on: ubuntu-latest', 'runs: ubuntu-latest', 'runs'],
])('what is wrong in a workflow is noticed: %s', async (right, wrong, named) => {
  const text = read('.github/workflows/release.yml')
  expect(text).toContain(right)
  const { errors } = await parsed(text.replace(right, wrong))
  expect(errors.join()).toContain(named)
})

test.each(workflows)('%s runs what there is, and nothing that is written there alone', async (path) => {
  const text = read(path)
  const { scripts, packageManager } = JSON.parse(read('package.json'))
  const commands = (await parsed(text)).jobs.flatMap(({ steps }) => steps.flatMap(({ run }) => run?.toString() ?? []))
  // These are run by an action.
  commands.push(...[...text.matchAll(/^ +(?:version|publish): (npx .*)$/gm)].map(([, command]) => command))
  expect(commands.length).toBeGreaterThan(0)
  const pnpm = `npx --yes ${packageManager} `
  const there = (command) => {
    const script = /^(?:npm|pnpm) run (\S+)$/.exec(command.replace(pnpm, 'pnpm '))?.[1]
    if (script !== undefined) return script in scripts
    return command === `${pnpm}install --frozen-lockfile` || canRun(root + command)
  }
  expect(commands.filter((command) => !there(command))).toEqual([])
})

test('what publishes vouches for it, lets nobody but a person start it, and does nothing while versions are to come', async () => {
  const { jobs } = await parsed(read('.github/workflows/release.yml'))
  const [, verifying, publishing] = read('.github/workflows/release.yml').split(/^ {2}(?:verify|publish):$/m)
  expect(jobs.map(({ id }) => id.toString())).toEqual(['version', 'verify', 'publish'])
  for (const line of [
    'needs: version',
    `if: needs.version.outputs.pending == 'false'`,
    'run: .ci/run',
    'npm run rehearse',
  ])
    expect(verifying).toContain(line)
  for (const line of [
    'needs: verify',
    'environment: npm',
    'FACTWIRE_TESTED: ${{ needs.verify.outputs.tested }}',
    `PNPM_CONFIG_PROVENANCE: 'true'`,
    `NPM_CONFIG_PROVENANCE: 'true'`,
    'publish: npx --yes pnpm@',
  ])
    expect(publishing).toContain(line)
  // Code of others, which tests run, may do nothing here.
  expect(verifying).toContain('persist-credentials: false')
  expect(publishing).not.toContain('.ci/run')
})

test.each(workflows)('%s grants what is needed and no more', async (path) => {
  const granted =
    read(path)
      .match(/^ +[a-z-]+: write\b/gm)
      ?.map((line) => line.trim()) ?? []
  const needed = { 'release.yml': ['contents: write', 'pull-requests: write', 'contents: write', 'id-token: write'] }
  expect(granted).toEqual(needed[path.split('/').at(-1)] ?? [])
})

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
