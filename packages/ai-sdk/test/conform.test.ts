import { conform, sabotage } from '@factwire/conformance'
import { subjectOf } from './subject.ts'

conform(subjectOf('v6'))
conform(subjectOf('v7'), { share: 0.5 })
conform(subjectOf('v5'), { share: 0.3 })

sabotage(subjectOf('v7'))
