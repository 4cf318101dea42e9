import { conform, sabotage } from '@factwire/conformance'
import { faults } from './faults.ts'
import { forgetful, older, subject } from './subject.ts'

conform(subject)
conform(older, { share: 0.2 })
conform(forgetful, { share: 0.2 })

sabotage(subject, { faults })
