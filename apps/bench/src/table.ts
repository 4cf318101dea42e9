/** Reports as text for a terminal. */
import { barText, isMet, type Report, type Row, spreadText, type Table, valueText } from './report.ts'
import { ratios, spread } from './statistics.ts'

export function lines({ tables, rows }: Report): string[] {
  return [...tables.flatMap(tableLines), ...(rows.length > 0 ? ['', ...aligned(rows.map(rowCells))] : [])]
}

function tableLines({ title, events, timings }: Table): string[] {
  const base = timings[0]?.samples ?? []
  const cells = timings.map(({ name, samples }) => {
    const { median, low, high } = spread(samples.map((sample) => sample / events))
    const ratio = spreadText(spread(ratios(samples, base)))
    return [`  ${name}`, `${Math.round(median)} ns`, `${Math.round(low)} to ${Math.round(high)}`, `${ratio} x`]
  })
  return ['', title, ...aligned(cells)]
}

function rowCells(row: Row): string[] {
  const met = isMet(row)
  const verdict = met === undefined ? '    ' : met ? 'met ' : 'MISS'
  return [verdict, row.what, row.against, valueText(row), barText(row), row.detail ?? '']
}

/** Columns as wide as their widest cell; what stands in the first is to the left. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = []
  for (const cells of rows) cells.forEach((cell, at) => (widths[at] = Math.max(widths[at] ?? 0, cell.length)))
  return rows.map((cells) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
