/** The same as in the servers beside it. */
export { refusal } from '../../../../apps/examples/src/refusal.ts'
