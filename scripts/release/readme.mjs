// What a README tells its reader to do: what to install, what to write, what to run.

/** The packages that its `npm install` names, each of them, or nothing where there is none. */
export function installs(text) {
  const lines = linesOf(text, 'sh').filter((each) => each.startsWith('npm install '))
  if (lines.length === 0) return undefined
  const words = lines.flatMap((line) => line.split(/\s+/).slice(2))
  // Neither options nor archives.
  return [...new Set(words.filter((word) => !/^[-.]/.test(word)))]
}

/** The packages from which some TypeScript imports. */
export function imports(code) {
  const specifiers = [...code.matchAll(/^(?:import|export)\b(?:[^'"=(]*\bfrom)?\s*['"]([^'"]+)['"]/gm)].map(
    ([, specifier]) => specifier,
  )
  return [...new Set(specifiers.map(packageOf))]
}

/** Without a version, and without what follows its name. */
export const packageOf = (text) => (text.startsWith('node:') ? text : /^(?:@[^/]+\/)?[^/@]+/.exec(text)[0])

/** The TypeScript that it shows, block by block. */
export const examples = (text) => blocksOf(text, 'ts')

/** The words of each call of `program` that can be run as it stands. */
export function calls(text, program) {
  return linesOf(text, 'sh').flatMap((line) => {
    const words = line.split(/\s+/)
    return words[0] === 'npx' && words[1] === program ? [words.slice(2)] : []
  })
}

function linesOf(text, language) {
  const lines = blocksOf(text, language).flatMap((block) => block.split('\n'))
  return lines.map((line) => line.replace(/\s+#.*$/, '').trim()).filter(Boolean)
}

/** What stands between fences of a language, block by block. */
export function blocksOf(text, language) {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, block]) => block)
}
