// What vitest's JSON report says of the laws and of the sabotage, as two tables: a row for each law or fault, a column for each
// protocol. The tests carry it as `meta`; whoever reads the report prints the lines.

/** Every test of a report, flat. */
export function testsOf(report) {
  return report.testResults.flatMap((file) => file.assertionResults)
}

/** A law or fault that does not concern a wire is no gap: its test is skipped, and says why. */
export function isExcused({ meta = {} }) {
  return meta.excused !== undefined
}

/** Nothing where the report has no laws. */
export function lawsTable(report) {
  const tests = testsOf(report)
  const laws = tests.filter(({ meta }) => meta?.law)
  const faults = tests.filter(({ meta }) => meta?.fault)
  const excuses = tests.filter(isExcused).map(({ meta }) => meta.excused)
  return [
    ...section('law: held + failed honestly, of all runs', [...laws.map(lawCell), ...excuses.map(excuseCell('law'))]),
    ...section('fault, and the law that finds it: after how many runs, lines of the shrunk run', [
      ...faults.map(faultCell),
      ...excuses.map(excuseCell('fault')),
    ]),
    ...notes(excuses),
  ]
}

function lawCell({ status, meta: { law } }) {
  const { protocol, runs, held, failed } = law
  const broken = status === 'failed'
  return { protocol, row: law.law, text: broken ? `BROKEN in run ${runs}` : `${held} + ${failed} of ${runs}` }
}

function faultCell({ status, meta: { fault } }) {
  const { protocol, law, runs, lines } = fault
  const text = lines === undefined ? `MISSED in ${runs}` : `${runs}, ${lines} lines`
  return {
    protocol,
    row: fault.fault,
    under: law,
    text: status === 'failed' && lines !== undefined ? `${text}!` : text,
  }
}

const excuseCell = (kind) => (excuse) =>
  excuse[kind] === undefined ? undefined : { protocol: excuse.protocol, row: excuse[kind], text: '–' }

function section(title, given) {
  const cells = given.filter((cell) => cell !== undefined)
  if (cells.length === 0) return []
  const protocols = [...new Set(cells.map(({ protocol }) => protocol))].toSorted((a, b) => a.localeCompare(b))
  const rows = new Map()
  // A fault that two wires find by different laws has a row for each.
  for (const { row, under, text, protocol } of cells) {
    const known = [...rows.values()].find(
      (other) => other.row === row && (under === undefined || other.under === under),
    )
    const key = known?.key ?? `${row}\n${under ?? ''}`
    if (!known) rows.set(key, { key, row, under, texts: new Map() })
    rows.get(key).texts.set(protocol, text)
  }
  const table = [...rows.values()].map(({ row, under, texts }) => [
    under === undefined ? row : `${row} (${under})`,
    ...protocols.map((protocol) => texts.get(protocol) ?? ''),
  ])
  return ['', title, ...columns([...heads(['', ...protocols]), ...table])]
}

const WIDEST_HEAD = 16

/** Names of protocols broken at spaces, as rows: a table of many stays narrow. */
function heads(names) {
  const broken = names.map((name) =>
    name.split(' ').reduce((lines, word) => {
      const last = lines.at(-1)
      const fits = last !== undefined && `${last} ${word}`.length <= WIDEST_HEAD
      return fits ? [...lines.slice(0, -1), `${last} ${word}`] : [...lines, word]
    }, []),
  )
  const height = Math.max(...broken.map(({ length }) => length))
  return Array.from({ length: height }, (_, row) => broken.map((lines) => lines[row] ?? ''))
}

/** Left-aligned, two spaces apart. */
function columns(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)))
  return rows.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column])).join('  ')}`.trimEnd())
}

/** Why something does not concern a wire, once for each reason. */
function notes(excuses) {
  const reasons = new Map()
  for (const { protocol, law, fault, torture, why } of excuses) {
    const key = `${protocol}: ${why}`
    reasons.set(key, [...(reasons.get(key) ?? []), law ?? fault ?? torture])
  }
  if (reasons.size === 0) return []
  return ['', '– is not for this wire', ...[...reasons].map(([key, what]) => `  ${key}: ${what.join('; ')}`)]
}
