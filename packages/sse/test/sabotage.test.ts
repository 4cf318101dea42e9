import { sabotage } from '@factwire/conformance'
import { faults } from './faults.ts'
import { subject } from './subject.ts'

// The truth of a thread has no usage; what the wire tells of it must come back.
sabotage(subject, { faults, laws: { 'the usage of model calls is forgotten': 'round trip' } })
