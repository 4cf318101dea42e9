import { type Commit, type Fact, fold, type Standing } from '@factwire/core'

/** All that a thread's commits make true, however often it is asked. */
export function factsOf(commits: readonly Commit[]): readonly Fact[] {
  let standing: Standing = { openCalls: [] }
  return commits.flatMap((commit) => {
    const { facts, after } = fold(commit, standing)
    standing = after
    return facts
  })
}
