/** The same as in the servers beside it. */
export { jsonIn } from '../../../../apps/examples/src/body.ts'
