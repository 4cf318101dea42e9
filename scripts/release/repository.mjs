// The field `repository` of a package, as registries read it.

/** Of an address as people clone it. */
export function repositoryOf(address) {
  const url = /^(?:git\+)?(https:\/\/[^/\s]+\/[^\s]+?)(?:\.git)?\/?$/.exec(address)?.[1]
  if (url === undefined) throw new TypeError(`"${address}" is no address of a repository: write https://…/….git`)
  return { type: 'git', url: `git+${url}.git` }
}

/** The manifest of what stands in `folder`, after whose licence it is written. Without a repository it stays as it is. */
export function withRepository(manifest, repository, folder) {
  if (repository === undefined) return manifest
  const { repository: _before, ...rest } = manifest
  const here = folder === '.' ? repository : { ...repository, directory: folder }
  return Object.fromEntries(
    Object.entries(rest).flatMap((field) => (field[0] === 'license' ? [field, ['repository', here]] : [field])),
  )
}
