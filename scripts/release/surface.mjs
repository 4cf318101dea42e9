// What became of a public surface between two of its pages, and what a version has to say of it.

/** `same`, `grown` (whoever uses it need not care) or `changed` (something is gone, or cannot be seen to be what it was). */
export function changeOf(before, after) {
  const [old, now] = [surfaceOn(before), surfaceOn(after)]
  const everywhere = new Map([...now.exported].map(([key, text]) => [key.split(' ').at(-1), text]))
  const kept = (text, found) => found !== undefined && isStill(text, found)
  // What was only named and is gone is missed by nobody: who named it has changed too, or is gone as well.
  const named = [...old.named].every(([name, text]) => {
    const found = now.named.get(name) ?? everywhere.get(name)
    return found === undefined || kept(text, found)
  })
  if (!named || ![...old.exported].every(([key, text]) => kept(text, now.exported.get(key)))) return 'changed'
  const same = ['exported', 'named'].every((part) => [...now[part]].every(([key, text]) => old[part].get(key) === text))
  return same ? 'same' : 'grown'
}

/** The least that a version has to say of a change. Before 1.0.0 a minor one says that something may break. */
export function leastBump(change, version) {
  return change === 'grown' || version.startsWith('0.') ? 'minor' : 'major'
}

/** The declarations of a page: those exported by entry and name, those that are only named by these by name. */
function surfaceOn(page) {
  const exported = new Map()
  const named = new Map()
  const parts = page.matchAll(/^## (.*)$|^(Named by these), but not exported:$|^```ts\n([\s\S]*?)^```$/gm)
  let entry = ''
  let onlyNamed = false
  for (const [, heading, note, block] of parts) {
    entry = heading ?? entry
    if (block === undefined) onlyNamed = note !== undefined
    const texts = (block ?? '').trimEnd().split('\n\n').filter(Boolean)
    for (const text of texts.map(withoutDocs)) {
      if (onlyNamed) named.set(nameOf(text), text)
      else exported.set(`${entry} ${nameOf(text)}`, text)
    }
  }
  return { exported, named }
}

/** What is said of a declaration is no promise. */
function withoutDocs(text) {
  const lines = text.replaceAll(/\/\*\*[\s\S]*?\*\//g, '').split('\n')
  return lines.filter((line) => line.trim() !== '').join('\n')
}

/** As others write it: an export under another name stands in the last line. */
function nameOf(text) {
  const as = /^export \{ (?:\S+ as )?(\S+) \}/.exec(text.split('\n').at(-1))
  const name = as ?? /^(?:abstract )?(?:interface|type|const|let|var|function|class|namespace) ([\w$]+)/.exec(text)
  if (!name) throw new Error(`no declaration: ${text.split('\n')[0]}`)
  return name[1]
}

const OPTIONAL = /^ +(?:readonly )?[\w$]+\?: .*;$/

/** The same text, or one with further members that may be missing. */
function isStill(before, after) {
  const old = before.split('\n')
  let at = 0
  for (const line of after.split('\n')) {
    if (line === old[at]) at++
    else if (!OPTIONAL.test(line)) return false
  }
  return at === old.length
}
