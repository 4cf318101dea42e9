import { conform, sabotage } from '@factwire/conformance'
import { faults } from './faults.ts'
import { subjectOf } from './subject.ts'

conform(subjectOf('7'))
conform(subjectOf('6'))

sabotage(subjectOf('7'), {
  faults,
  unseen: {
    'a heartbeat runs into the frame behind it':
      'it takes the name of the event along, which stands in the data as well',
  },
})
