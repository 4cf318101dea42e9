// What versions say of what is in them, and which versions follow from a release.

/** Growing orders of what a version says; `no` is nothing. */
const BUMPS = ['no', 'patch', 'minor', 'major']

export const lesser = (a, b) => BUMPS.indexOf(a) < BUMPS.indexOf(b)

const partsOf = (version) => version.split('-')[0].split('.').map(Number)

/** What the way from one version to another says; `no` where it does not lead forward. */
export function bumpOf(before, after) {
  const [a, b] = [partsOf(before), partsOf(after)]
  const at = a.findIndex((part, index) => part !== b[index])
  if (at === -1) return before.includes('-') && !after.includes('-') ? 'patch' : 'no'
  return b[at] > a[at] ? ['major', 'minor', 'patch'][at] : 'no'
}

/** The version that says so. */
export function bumped(version, bump) {
  const [major, minor, patch] = partsOf(version)
  switch (bump) {
    case 'major':
      return `${major + 1}.0.0`
    case 'minor':
      return `${major}.${minor + 1}.0`
    case 'patch':
      return `${major}.${minor}.${patch + 1}`
    default:
      return version
  }
}

/** Whether `^from` takes `version`: before 1.0.0 a minor version is another thing. */
export function caretTakes(from, version) {
  const [a, b] = [partsOf(from), partsOf(version)]
  const fixed = a.findIndex((part) => part > 0)
  const upTo = fixed === -1 ? a.length : fixed + 1
  return a.slice(0, upTo).every((part, index) => part === b[index]) && bumpOf(version, from) === 'no'
}

/** Who depends on the package at run time, among these. */
export const dependentsOf = (name, packages) =>
  packages.filter(({ manifest }) => manifest.dependencies?.[name] !== undefined)

/**
 * Name and version of each package after a release of one alone: whose range does not take the new version gets another range, and with
 * it a patch. Nobody else moves.
 */
export function afterRelease(name, bump, packages) {
  const versions = new Map(packages.map((each) => [each.name, each.manifest.version]))
  const moved = (moving, how) => {
    const before = versions.get(moving)
    versions.set(moving, bumped(before, how))
    if (caretTakes(before, versions.get(moving))) return
    const left = dependentsOf(moving, packages).filter((each) => versions.get(each.name) === each.manifest.version)
    for (const dependent of left) moved(dependent.name, 'patch')
  }
  moved(name, bump)
  return versions
}
