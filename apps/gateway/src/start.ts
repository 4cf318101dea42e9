/** The process of `npm start`. */
import { main } from './main.ts'

process.exitCode = await main(process.argv.slice(2))
// What is left, such as a run that does not let go, has had its time.
process.exit()
