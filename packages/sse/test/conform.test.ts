import { conform } from '@factwire/conformance'
import { subject } from './subject.ts'

conform(subject)
