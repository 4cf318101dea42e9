/** Milliseconds of CPU that one import takes. Argument: what to import. */
const [specifier = ''] = process.argv.slice(2)
const before = process.cpuUsage()
await import(specifier)
const { user, system } = process.cpuUsage(before)
console.log(JSON.stringify((user + system) / 1000))
