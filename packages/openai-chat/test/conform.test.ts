import { conform, sabotage } from '@factwire/conformance'
import { faults } from './faults.ts'
import { subjectOf } from './subject.ts'

conform(subjectOf('7'))
conform(subjectOf('6'))

const ownTool = 'only a call of the own tool is shown early, and the tests of calls look at that'

sabotage(subjectOf('7'), {
  faults,
  unseen: {
    'what is thought waits until it is committed': 'reasoning is shown only where it is asked for',
    'arguments wait until they are committed': ownTool,
    'what a tool prints is not shown': 'the wire has no place for it',
    'patches of the state are not shown': 'the wire has no place for a state',
  },
})
