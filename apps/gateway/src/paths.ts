/** Patterns of paths, as the router has them: parts that begin with a colon are anything. */

export type Fits = (path: string) => boolean

export function pathPattern(pattern: string): Fits {
  const wanted = pattern.split('/')
  return (path) => {
    const parts = path.split('/')
    return (
      wanted.length === parts.length && wanted.every((part, index) => part.startsWith(':') || part === parts[index])
    )
  }
}

/** The methods that a path is served for; none where it is not served at all. */
export function methodsFor(
  routes: readonly { readonly path: string; readonly method: string }[],
): (path: string) => readonly string[] {
  const known = routes
    .filter(({ method }) => method !== 'ALL')
    .map(({ path, method }) => ({ fits: pathPattern(path), method }))
  return (path) => [...new Set(known.filter(({ fits }) => fits(path)).map(({ method }) => method))]
}
