/**
 * The parts as one text, in one piece. A text made by `+` or by a template literal keeps its parts until somebody reads it; where it then
 * stands in another, they are all gone through again, for each of the others anew: what every frame begins with is better copied whole.
 */
export const onePiece = (...parts: readonly string[]): string => parts.join('')
