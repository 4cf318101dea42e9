/**
 * Whether a piece stands in a text at some place. As `startsWith`, which engines look up unit by unit: a part that is cut out is
 * compared as memory, many times as fast where pieces are long.
 */
export const hasAt = (text: string, piece: string, at = 0): boolean => text.slice(at, at + piece.length) === piece
