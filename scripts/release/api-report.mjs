// The public surface of a package as one page: every exported declaration with what is said of it, and what those name without exporting
// it, values before types, in the order of their names. It is read off the declarations that the build wrote.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseSync } from 'rolldown/utils'

/** One page for all entries of a package: `entries` are `{ subpath, types }`, `folder` is where the package stands. */
export function apiReport({ name, folder, entries }) {
  const title = `# The public surface of ${name}`
  const note = 'Written by `npm run api`. `npm test` fails when it is not what the build declares.'
  const shown = new Set()
  const sections = entries.map(({ subpath, types }) => section(subpath, surfaceOf(join(folder, types)), shown))
  return `${[title, note, ...sections].join('\n\n')}\n`
}

/** What an earlier section has printed is not printed again, unless it is exported here as well. */
function section(subpath, { exported, named, foreign }, shown) {
  const fresh = named.filter((text) => !shown.has(text))
  for (const text of [...exported, ...named]) shown.add(text)
  const parts = [`## \`${subpath}\``, fenced(exported)]
  if (fresh.length > 0) parts.push('Named by these, but not exported:', fenced(fresh))
  for (const [from, names] of foreign) parts.push(`From \`${from}\`: ${names.join(', ')}`)
  return parts.join('\n\n')
}

const fenced = (texts) => ['```ts', texts.join('\n\n'), '```'].join('\n')

/** Everything that somebody who imports this file of declarations can come to depend on. */
export function surfaceOf(file) {
  const modules = new Map()
  const load = (path) => modules.get(path) ?? modules.set(path, readModule(path)).get(path)
  const exported = [...load(file).exports]
    .toSorted(([a], [b]) => byText(a, b))
    .map(([as, place]) => ({ as, found: declarationOf(load, place) }))
  const own = new Set(exported.map(({ found }) => keyOf(found)))
  const others = new Map()
  const waiting = exported.map(({ found }) => found)
  for (let next; (next = waiting.pop());) {
    const { file: from, refs } = next
    for (const name of refs ?? []) {
      if (!load(from).locals.has(name)) continue
      const found = declarationOf(load, { file: from, name })
      if (own.has(keyOf(found)) || others.has(keyOf(found))) continue
      others.set(keyOf(found), found)
      waiting.push(found)
    }
  }
  const found = [...others.values()]
  return {
    exported: valuesFirst(exported.map(print)),
    named: found.flatMap(({ text }) => text ?? []).toSorted(byText),
    foreign: byOrigin(found.filter(({ foreign }) => foreign !== undefined)),
  }
}

/** Whoever looks for something to call need not look among the types. */
function valuesFirst(texts) {
  const isType = (text) => /^(?:interface|type) /m.test(text)
  return [...texts.filter((text) => !isType(text)), ...texts.filter(isType)]
}

/** Pairs of a package and the names that are taken from it. */
function byOrigin(found) {
  const origins = [...new Set(found.map(({ foreign }) => foreign))].toSorted(byText)
  return origins.map((origin) => [
    origin,
    found.flatMap(({ foreign, name }) => (foreign === origin ? name : [])).toSorted(byText),
  ])
}

function print({ as, found: { name, text, foreign } }) {
  if (foreign) return `export { ${name === as ? as : `${name} as ${as}`} } from '${foreign}'`
  return name === as ? text : `${text}\nexport { ${name} as ${as} }`
}

// No locale: the page must be the same wherever it is written.
const byText = (a, b) => (a < b ? -1 : Number(a > b))
const keyOf = ({ file, name, foreign }) => `${file ?? foreign}#${name}`

/** Follows a name through the modules that only pass it on. */
function declarationOf(load, { file, name, from }) {
  if (from !== undefined) {
    if (!from.startsWith('.')) return { name, foreign: from }
    const source = join(dirname(file), from.replace(/\.(?:ts|js)$/, '.d.ts'))
    const next = load(source).exports.get(name)
    if (!next) throw new Error(`${source} does not export ${name}, which ${file} takes from it`)
    return declarationOf(load, next)
  }
  const local = load(file).locals.get(name)
  if (!local) throw new Error(`${file} exports ${name} but does not declare it`)
  return local.from === undefined ? { file, name, ...local } : declarationOf(load, { file, ...local })
}

/** `locals`: what each name stands for here, a declaration or an import. `exports`: where each exported name leads. */
function readModule(file) {
  const text = readFileSync(file, 'utf8')
  const { program, comments, errors } = parseSync(file, text, { lang: 'dts', sourceType: 'module' })
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`)
  const locals = new Map()
  const exports = new Map()

  function declare(statement, node, isExported) {
    const names = node.declarations?.map(({ id }) => id.name) ?? [node.id.name]
    const printed = [docOf(comments, text, statement), textOf(comments, text, node)].filter(Boolean).join('\n')
    for (const name of names) {
      const before = locals.get(name)
      // Overloads stand under one name.
      locals.set(name, {
        name,
        text: before ? `${before.text}\n${printed}` : printed,
        refs: new Set([...(before?.refs ?? []), ...refsIn(node)]),
      })
      if (isExported) exports.set(name, { file, name })
    }
  }

  for (const node of program.body) {
    const from = node.source?.value
    switch (node.type) {
      case 'ImportDeclaration':
        for (const { type, imported, local } of node.specifiers) {
          if (!imported && from.startsWith('.'))
            throw new Error(`${file}: import by name, not ${local.name} as a whole`)
          locals.set(local.name, { name: imported?.name ?? WHOLE[type], from })
        }
        break
      case 'ExportNamedDeclaration':
        if (node.declaration) declare(node, node.declaration, true)
        for (const { local, exported } of node.specifiers) exports.set(exported.name, { file, name: local.name, from })
        break
      case 'ExportAllDeclaration':
      case 'ExportDefaultDeclaration':
        throw new Error(`${file}: export by name, not everything and not a default`)
      default:
        declare(node, node, false)
    }
  }
  return { locals, exports }
}

const isDoc = ({ type, value }) => type === 'Block' && value.startsWith('*')

/** What is said right before a statement. */
function docOf(comments, text, { start }) {
  const doc = comments.findLast((comment) => comment.end <= start)
  return doc && isDoc(doc) && text.slice(doc.end, start).trim() === '' ? text.slice(doc.start, doc.end) : undefined
}

/** The source of a declaration, from its keyword on, without what is only said to its authors. */
function textOf(comments, text, { start, end }) {
  let at = start
  let kept = ''
  for (const comment of comments) {
    if (comment.start < start || comment.end > end || isDoc(comment)) continue
    kept += text.slice(at, comment.start)
    at = comment.end
  }
  kept += text.slice(at, end)
  return kept
    .replace(/^declare /, '')
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .join('\n')
}

/** The names of types and values that a declaration refers to. */
function refsIn(root) {
  const refs = new Set()
  const leftmost = (node) => (node?.type === 'TSQualifiedName' ? leftmost(node.left) : node)
  const walk = (node) => {
    if (Array.isArray(node)) node.forEach(walk)
    if (node === null || typeof node !== 'object' || typeof node.type !== 'string') return
    // An inline `import('…')` would hide where a type comes from; with isolated declarations nothing writes one.
    if (node.type === 'TSImportType') throw new Error('a declaration imports a type inline')
    const named =
      node.typeName ?? node.exprName ?? (HERITAGE.has(node.type) ? node.expression : undefined) ?? node.superClass
    const name = leftmost(named)?.name
    if (name !== undefined) refs.add(name)
    for (const value of Object.values(node)) walk(value)
  }
  walk(root)
  return refs
}

const WHOLE = { ImportNamespaceSpecifier: '*', ImportDefaultSpecifier: 'default' }
const HERITAGE = new Set(['TSInterfaceHeritage', 'TSClassImplements'])
