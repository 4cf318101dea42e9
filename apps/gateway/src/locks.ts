/** One thing at a time under one name. */

export interface Locks {
  run<Result>(name: string, task: () => Promise<Result>): Promise<Result>
}

export function locks(): Locks {
  const last = new Map<string, Promise<unknown>>()
  return {
    run(name, task) {
      const mine = (last.get(name) ?? Promise.resolve()).then(task, task)
      last.set(name, mine)
      const forget = (): void => {
        if (last.get(name) === mine) last.delete(name)
      }
      mine.then(forget, forget)
      return mine
    },
  }
}
