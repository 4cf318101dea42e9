/** The items of one machine while a stream is followed: one word for each that was named, and one for those that were not. */

export interface Item {
  readonly group: string
  readonly key: string
  readonly state: string
}

export interface Items {
  get(group: string, key: string): string
  set(group: string, key: string, state: string): void
  /** Those that were named; of one group, or all. */
  named(group?: string): readonly Item[]
  /** What becomes of those that were not; of one group, or all. */
  setUnnamed(group: string | undefined, next: (state: string) => string): void
}

interface Group {
  readonly named: Map<string, string>
  unnamed: string
}

export function createItems(initial: string): Items {
  const groups = new Map<string, Group>()
  let unnamed = initial

  function groupOf(name: string): Group {
    let group = groups.get(name)
    if (!group) {
      group = { named: new Map(), unnamed }
      groups.set(name, group)
    }
    return group
  }

  return {
    get(name, key) {
      const group = groups.get(name)
      return group?.named.get(key) ?? group?.unnamed ?? unnamed
    },
    set(name, key, state) {
      groupOf(name).named.set(key, state)
    },
    named(name) {
      const wanted = name === undefined ? [...groups.keys()] : [name]
      return wanted.flatMap((group) =>
        [...(groups.get(group)?.named ?? [])].map(([key, state]) => ({ group, key, state })),
      )
    },
    setUnnamed(name, next) {
      if (name !== undefined) {
        const group = groupOf(name)
        group.unnamed = next(group.unnamed)
        return
      }
      for (const group of groups.values()) group.unnamed = next(group.unnamed)
      unnamed = next(unnamed)
    },
  }
}
