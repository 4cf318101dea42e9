import { conform } from '@factwire/conformance'
import { sse } from '../src/index.ts'
import { clientView } from './client.ts'

conform({ protocol: sse, view: clientView })
