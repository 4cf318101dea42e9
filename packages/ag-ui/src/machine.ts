/** How a machine of this wire is written down: a rule's id that does not exist does not compile in here. */
import type { MachineState, Step } from '@factwire/core'
import type { RuleId } from './rules.ts'

export const breaks = (rule: RuleId, to?: string): Step => ({ breaks: rule, ...(to === undefined ? {} : { to }) })

export const state = (
  on: Readonly<Record<string, Step>>,
  more: Omit<MachineState, 'on' | 'otherwise'> & { readonly otherwise?: RuleId } = {},
): MachineState => ({ on, ...more })
