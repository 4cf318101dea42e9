/** Waits for what nobody announces: the state of a page, or of a run. A test that waits for ever runs into its time. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5))
}
