import { conform, sabotage } from '@factwire/conformance'
import { subjectOf } from './subject.ts'

conform(subjectOf('7'))
conform(subjectOf('6'))

sabotage(subjectOf('7'))
