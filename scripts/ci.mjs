// Runs every check of this repository. The last line is always `N passed, N failed`; what was not checked is told above it.
// Each test counts as one, and so does each other step. Run it with `npm test`, which puts pnpm on the PATH.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isExcused, lawsTable, testsOf } from './laws-table.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'factwire-ci-'))
const testReport = join(scratch, 'tests.json')

const env = {
  ...process.env,
  PATH: [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter),
  TURBO_TELEMETRY_DISABLED: '1',
}

// A golden file that is missing must fail, not be written: hence `--update=none`.
const vitest = 'vitest run --update=none --allowOnly=false --reporter=default --reporter=json --outputFile.json='

const steps = [
  { name: 'install', command: 'pnpm install --frozen-lockfile', required: true },
  { name: 'build', command: 'turbo run build --output-logs=errors-only' },
  { name: 'docs', command: 'node scripts/docs.mjs --check' },
  { name: 'types', command: 'tsc -p .' },
  { name: 'lint', command: 'oxlint' },
  { name: 'format', command: 'oxfmt --check' },
  { name: 'browser', command: 'node scripts/browser.mjs', count: countChance },
  { name: 'nginx', command: 'node scripts/nginx.mjs', count: countChance },
  { name: 'sqlite', command: 'node scripts/sqlite.mjs', count: countChance },
  { name: 'tests', command: vitest + testReport, count: countTests },
  { name: 'exhaustive', command: 'node scripts/prove-exhaustive.mjs' },
  { name: 'template', command: 'node scripts/prove-template.mjs' },
  { name: 'surface', command: 'node scripts/api.mjs' },
  { name: 'packages', command: 'node scripts/check-packages.mjs' },
  { name: 'unused', command: 'knip' },
  { name: 'bundles', command: 'node apps/bench/dist/main.js --only size,content --check' },
]

const results = []
const notChecked = new Set()
let abandoned = false
for (const step of steps) {
  const result = abandoned ? { passed: 0, failed: 0, skipped: 1, seconds: 0 } : runStep(step)
  abandoned ||= step.required === true && result.failed > 0
  results.push({ name: step.name, ...result })
}
rmSync(scratch, { recursive: true, force: true })

console.log()
for (const { name, passed, failed, skipped, seconds } of results) {
  const verdict = failed > 0 ? 'FAILED' : passed > 0 ? 'ok' : 'skipped'
  console.log(
    `${name.padEnd(12)}${verdict.padEnd(9)}${counts(passed, failed, skipped).padEnd(36)}${seconds.toFixed(1)} s`,
  )
}

const [passed, failed, skipped] = ['passed', 'failed', 'skipped'].map((key) =>
  results.reduce((sum, result) => sum + result[key], 0),
)
console.log()
for (const notice of notChecked) console.log(notice)
if (skipped > 0) console.log(`${skipped} skipped`)
console.log(counts(passed, failed))
process.exitCode = failed > 0 ? 1 : 0

function runStep({ name, command, count }) {
  console.log(`\n# ${name}: ${command}`)
  const [program, ...args] = command.split(' ')
  const start = performance.now()
  const { status, error } = spawnSync(program, args, { cwd: root, env, stdio: 'inherit' })
  if (error) console.error(error.message)
  const seconds = (performance.now() - start) / 1000
  const ok = status === 0
  return { ...(count ?? countStep)(ok), seconds }
}

function countStep(ok) {
  return { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0 }
}

/** What cannot be had is missed by the tests that need it, and they say so. */
function countChance(ok) {
  return { passed: ok ? 1 : 0, failed: 0, skipped: 0 }
}

function countTests(ok) {
  const { report, problem } = readReport()
  if (!report) {
    console.error(`The test run left no report: ${problem}`)
    return countStep(false)
  }
  const passed = report.numPassedTests
  const unchecked = testsOf(report).filter((test) => !['passed', 'failed'].includes(test.status) && !isExcused(test))
  const skipped = unchecked.length
  for (const { title, ancestorTitles = [] } of unchecked) {
    const told = ancestorTitles.find((above) => above.startsWith('NOT CHECKED: ')) ?? title
    notChecked.add(told.replace(/^(NOT CHECKED: )?/, 'NOT CHECKED: '))
  }
  console.log(lawsTable(report).join('\n'))
  // A file that cannot be loaded has no tests of its own, yet it is a failure.
  const unloadable = report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0)
  let failed = report.numFailedTests + unloadable.length
  if (failed === 0 && passed === 0) {
    console.error('No test ran.')
    failed = 1
  }
  if (failed === 0 && (!ok || !report.success)) {
    console.error('Every test passed, but the test run itself failed.')
    failed = 1
  }
  return { passed, failed, skipped }
}

function readReport() {
  try {
    return { report: JSON.parse(readFileSync(testReport, 'utf8')) }
  } catch (error) {
    return { problem: error.message }
  }
}

function counts(passed, failed, skipped = 0) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}
