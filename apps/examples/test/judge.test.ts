import { sse } from '@factwire/sse'
import { expect, test } from 'vitest'
import { subject } from '../../../packages/sse/test/subject.ts'
import { judge } from '../src/judge.ts'

const LONGEST = 120_000

test(
  'a protocol that keeps the laws is not complained of',
  async () => {
    expect(await judge(subject, 5)).toEqual([])
  },
  LONGEST,
)

test(
  'one that forgets to end is, with the run that shows it',
  async () => {
    const endless: typeof sse = {
      ...sse,
      transcoder(...parameters) {
        const target = sse.transcoder(...parameters)
        const kept = (fact: Parameters<typeof target.fact>[0]) =>
          target.fact(fact).filter(({ event_type }) => event_type !== 'run_finish')
        return { ...target, fact: kept }
      },
    }
    const broken = await judge({ ...subject, protocol: endless }, 5)
    expect(broken.join('\n')).toContain('run_finished')
  },
  LONGEST,
)
