// What a protocol says of itself, as Markdown: what becomes of facts, what its grammar demands, and how its machines look.

const FORCES = {
  rejected: 'the client gives the stream up',
  warned: 'the client complains and goes on',
  demanded: 'ours to keep; a client takes it',
}

/** A row for each kind of fact. */
export function fidelityTable(fidelity) {
  const rows = Object.entries(fidelity).map(([fact, entry]) => [`\`${fact}\``, fateText(entry)])
  return table(['fact', 'what becomes of it'], rows)
}

function fateText(entry) {
  if ('kept' in entry) return oneFate(entry)
  const cases = entry.cases.map(({ when, fate }) => `when ${when}: ${oneFate(fate)}`)
  return [...cases, `otherwise: ${oneFate(entry.otherwise)}`].join('; ')
}

function oneFate(fate) {
  return fate.harmless ? `${words(fate)}, which nobody can miss` : words(fate)
}

function words(fate) {
  switch (fate.kept) {
    case 'exact':
      return 'comes back exactly'
    case 'lossy':
      return `loses ${fate.loses}`
    case 'dropped':
      return fate.why === undefined ? 'is not carried' : `is not carried (${fate.why})`
    default:
      throw new Error(`No words for a fate that is ${fate.kept}`)
  }
}

/** A row for each rule. */
export function rulesTable({ rules }) {
  const rows = Object.entries(rules).map(([id, { says, force, see }]) => [`\`${id}\``, says, FORCES[force], see])
  return table(['rule', 'says', 'after a breach', 'see'], rows)
}

/** A diagram for each machine; `draw` is core's. */
export function diagrams({ machines }, draw) {
  return Object.entries(machines)
    .map(([name, machine]) => [`## \`${name}\``, '', '```mermaid', draw(machine), '```'].join('\n'))
    .join('\n\n')
}

function table(head, rows) {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n')
}

const cell = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

export const BEGIN = '<!-- written by `npm run docs`: from here -->'
export const END = '<!-- written by `npm run docs`: to here -->'

/** The text with what stands between the marks replaced; they come at its end where it has none. */
export function between(text, content) {
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)]
  const marked = `${BEGIN}\n\n${content}\n\n${END}`
  if (from === -1 && to === -1) return `${text.trimEnd()}\n\n${marked}\n`
  if (from === -1 || to < from) throw new Error('one of the two marks is missing, or they stand the wrong way round')
  return text.slice(0, from) + marked + text.slice(to + END.length)
}
