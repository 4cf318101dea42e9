/** The groups, in the order in which they are measured. Each is loaded when its turn comes, and its peers with it. */
import type { Group } from '../setting.ts'

export const groups: readonly Group[] = [
  { name: 'encode', title: 'Deltas to bytes, beside the least possible', load: () => import('./encode.ts') },
  { name: 'peers', title: 'Deltas to bytes, beside others', load: () => import('./peers.ts') },
  { name: 'mixed', title: 'A whole run to bytes, beside the least possible', load: () => import('./mixed.ts') },
  { name: 'respond', title: 'A served run, end to end', load: () => import('./respond.ts') },
  { name: 'provider', title: 'Reading a model provider', load: () => import('./provider.ts') },
  { name: 'decode', title: 'Reading a wire back', load: () => import('./decode.ts') },
  { name: 'growth', title: 'How cost grows when a run doubles', load: () => import('./growth.ts') },
  { name: 'allocation', title: 'What a delta allocates', load: () => import('./allocation.ts') },
  { name: 'memory', title: 'What a long run holds', load: () => import('./memory.ts') },
  { name: 'fan-out', title: 'One run to a thousand readers', load: () => import('./fan-out.ts') },
  { name: 'sqlite', title: 'Commits that are on the disk', load: () => import('./sqlite.ts') },
  { name: 'start', title: 'Cold start', load: () => import('./start.ts') },
  { name: 'size', title: 'What a page loads', load: () => import('./size.ts') },
  { name: 'content', title: 'What a page does not load', load: () => import('./content.ts') },
]
