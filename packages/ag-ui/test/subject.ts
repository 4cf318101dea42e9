/** The protocol as the kit judges it: with each official client, and with a server that does not know the thread. */
import type { Subject } from '@factwire/conformance'
import { exact, fateOf, type Fidelity, type Grammar, lossy, type Rule } from '@factwire/core'
import { agUi, fidelity } from '../src/index.ts'
import { machines } from '../src/machines.ts'
import { moves } from '../src/moves.ts'
import { rules } from '../src/rules.ts'
import type { AgUiOptions } from '../src/transcoder.ts'
import type { AgUiEvent } from '../src/wire.ts'
import { shownTo } from './shows.ts'
import { contextWithHistory, glimpsing, viewer } from './view.ts'

export type AgUiSubject = Subject<AgUiEvent, AgUiOptions>

/** Whether a patch fits its document is in neither's frame alone. */
const isBeyondGrammar = (warning: string): boolean => /^Failed to apply (state|activity) patch/.test(warning)

export const subject: AgUiSubject = {
  protocol: agUi,
  label: 'ag-ui, read by @ag-ui/client 1.0.0',
  options: { reasoning: true },
  context: contextWithHistory,
  view: viewer({}),
  glimpse: glimpsing({}),
  isBeyondGrammar,
  shows: shownTo({}),
}

const { message } = machines
const { unknown, ...others } = message.states

/** Until 1.0 no client minds how reasoning begins and ends, and one that has no such message complains of its words. */
const olderGrammar: Grammar<AgUiEvent> = {
  moves,
  machines: {
    ...machines,
    message: {
      ...message,
      states: {
        ...others,
        unknown: { ...unknown, on: { ...unknown?.on, thought_content: { breaks: 'snapshot-keeps-open' } } },
      },
    },
  },
  rules: Object.fromEntries(
    Object.entries(rules).map(([id, rule]): [string, Rule] => [
      id,
      id.includes('reasoning') ? { ...rule, force: 'demanded' } : rule,
    ]),
  ),
}

/** Nor can a result be more than text. */
const olderFidelity: Fidelity = {
  ...fidelity,
  tool_result: {
    cases: [
      {
        when: 'it is one text, and names its message and tool',
        holds: (fact) => fateOf(fidelity, fact).kept === 'exact' && fact.content.every(({ type }) => type === 'text'),
        fate: exact,
      },
    ],
    otherwise: lossy('what is no text'),
  },
}

export const older: AgUiSubject = {
  ...subject,
  protocol: { ...agUi, grammar: olderGrammar, fidelity: olderFidelity },
  label: 'ag-ui, read by @ag-ui/client 0.0.59',
  options: { reasoning: true, target: '0.0.59' },
  view: viewer({ version: '0.0.59' }),
  glimpse: glimpsing({ version: '0.0.59' }),
  shows: shownTo({ version: '0.0.59' }),
}

/** Nothing can be taken back from a client of whose thread one does not know. */
export const forgetful: AgUiSubject = {
  protocol: agUi,
  label: 'ag-ui, without history',
  view: viewer({ thread: false }),
  glimpse: glimpsing({ thread: false }),
  isBeyondGrammar,
  repairs: false,
  shows: shownTo({ thread: false }),
}

/** With each of its clients, for who finds wires by folder. @public */
export const subjects = [subject, older]
