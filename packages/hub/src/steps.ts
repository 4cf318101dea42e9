/** The steps of a run, page by page. */
import type { Setting } from './setting.ts'
import type { StoredStep } from './store.ts'

/** Shows each step after `revision`, which moves on with what is shown, also by others. */
export async function readSteps(
  runId: string,
  { store, limits }: Setting,
  revision: () => number,
  show: (step: StoredStep) => void,
): Promise<void> {
  while (true) {
    const before = revision()
    const steps = await store.steps(runId, before, limits.pageFacts)
    for (const step of steps) if (step.revision === revision() + 1) show(step)
    // Who takes no more, because the run was let go or is produced here, would be given the same page for ever.
    if (steps.length < limits.pageFacts || revision() === before) return
  }
}
