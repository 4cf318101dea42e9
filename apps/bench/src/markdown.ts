/** Rows as a table for a README. */
import { barText, isMet, type Report, type Row, valueText } from './report.ts'

export function markdown(reports: ReadonlyMap<string, Report>): string {
  const cells = [...reports].flatMap(([name, { rows }]) => rows.map((row) => rowCells(name, row)))
  return [HEAD, HEAD.map(() => '---'), ...cells].map((row) => `| ${row.join(' | ')} |\n`).join('')
}

const HEAD = ['group', 'what', 'against', 'measured', 'bar', '']

function rowCells(group: string, row: Row): string[] {
  const met = isMet(row)
  return [
    `\`${group}\``,
    row.what,
    row.against,
    valueText(row),
    barText(row),
    met === undefined ? '' : met ? 'met' : '**missed**',
  ]
}
