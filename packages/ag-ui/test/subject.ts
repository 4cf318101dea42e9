/** The protocol as the kit judges it: with each official client, and with a server that does not know the thread. */
import type { Subject } from '@factwire/conformance'
import { agUi } from '../src/index.ts'
import type { AgUiOptions } from '../src/transcoder.ts'
import type { AgUiEvent } from '../src/wire.ts'
import { contextWithHistory, shows, viewer } from './view.ts'

export const subject: Subject<AgUiEvent, AgUiOptions> = {
  protocol: agUi,
  context: contextWithHistory,
  options: { reasoning: true },
  view: viewer({}),
  shows,
}
