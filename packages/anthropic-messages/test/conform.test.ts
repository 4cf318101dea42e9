import { conform, sabotage } from '@factwire/conformance'
import { CLIENTS } from './client.ts'
import { faults } from './faults.ts'
import { subjectOf } from './subject.ts'

const [newest, ...others] = CLIENTS.map(subjectOf)
if (!newest) throw new Error('no client')

conform(newest)
// They read most blocks in the same way.
for (const other of others) conform(other, { share: 0.4 })

sabotage(newest, {
  faults,
  unseen: {
    'a heartbeat runs into the frame behind it':
      'the decoder goes by what the data says where the name of an event is lost; `framing.test.ts` tries it with the client',
  },
})
