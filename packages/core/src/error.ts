/** The one error class of all packages. A failure of a run is an event, never this. */

export type ErrorCode =
  /** Text is not JSON. */
  | 'malformed_json'
  /** A value has the wrong shape; `path` says where. */
  | 'invalid_value'
  /** Text or a value is longer than the limit. */
  | 'too_large'
  /** A value nests deeper than the limit. */
  | 'too_deep'
  /** A frame is none of its wire. */
  | 'malformed_frame'
  /** A stream ended before its end. */
  | 'truncated'
  /** The source of a stream failed. */
  | 'source_failed'
  /** A commit came after the end of its run. */
  | 'run_ended'
  /** Another producer has the run. */
  | 'run_taken'
  /** Facts could not be stored. */
  | 'store_failed'

export interface ErrorPlace {
  /** Where in a value, e.g. `event.content[2].text`. */
  readonly path?: string
  /** Which protocol was read or written. */
  readonly protocol?: string
  /** Number of the frame or line, from 0. */
  readonly frame?: number
  readonly cause?: unknown
}

export class FactwireError extends Error {
  override readonly name = 'FactwireError'
  readonly code: ErrorCode
  /** The message without the place. */
  readonly reason: string
  readonly path: string | undefined
  readonly protocol: string | undefined
  readonly frame: number | undefined

  constructor(code: ErrorCode, message: string, place: ErrorPlace = {}) {
    super(place.path ? `${place.path}: ${message}` : message, 'cause' in place ? { cause: place.cause } : undefined)
    this.code = code
    this.reason = message
    this.path = place.path
    this.protocol = place.protocol
    this.frame = place.frame
  }
}
