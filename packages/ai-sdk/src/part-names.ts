/** Names of parts come from the place of their step in the UI message, because a client keeps those of reasoning. */
export const textId = (step: number): string => `text-${step}`

/** `count`: the how manieth thought of its step it is. */
export const thoughtId = (step: number, count: number): string =>
  count > 1 ? `reasoning-${step}-${count}` : `reasoning-${step}`
