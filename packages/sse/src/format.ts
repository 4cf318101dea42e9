/**
 * One line of JSON, or a comment, as the text of a server-sent event. Line feeds only; what could break out of its line
 * throws.
 */
import type { WireMessage } from '@factwire/core'

/** Says "still here" between frames. One line feed: some readers take every blank line for a message. */
export const heartbeat = ': heartbeat\n'

/** @throws TypeError when `json` is more than one line. */
export function formatSseData(json: string): string {
  return `data: ${dataLine(json)}\n\n`
}

/** @throws TypeError when `json` is more than one line, or `seq` could not come back as `Last-Event-ID`. */
export function formatSseDataWithId(json: string, seq: number | string): string {
  return `id: ${idOf(seq)}\ndata: ${dataLine(json)}\n\n`
}

/** A whole message. @throws TypeError when one of its parts would break out of its line. */
export function formatSseMessage({ data, event, id }: WireMessage): string {
  const eventLine = event === undefined ? '' : `event: ${fieldOf(event, 'event name')}\n`
  return eventLine + (id === undefined ? formatSseData(data) : formatSseDataWithId(data, id))
}

/** A comment: readers skip it. @throws TypeError when `text` is more than one line. */
export function formatSseComment(text: string): string {
  if (/[\r\n]/.test(text)) throw new TypeError('a comment is one line: send one comment for each')
  return `: ${text}\n`
}

function dataLine(json: string): string {
  if (/[\r\n]/.test(json)) throw new TypeError('data is one line: write JSON without indentation')
  return json
}

function idOf(seq: number | string): string {
  if (typeof seq === 'string') return fieldOf(seq, 'id')
  if (!Number.isSafeInteger(seq)) throw new TypeError(`an id is a whole number or a string, not ${seq}`)
  return String(seq)
}

function fieldOf(value: string, name: string): string {
  // A NUL makes readers ignore the id, and a line end would begin a field of its own.
  if (/[\0\r\n]/.test(value)) throw new TypeError(`an ${name} has no CR, LF or NUL: encode it before`)
  return value
}
