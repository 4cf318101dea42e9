/** Starts the provider: `node apps/provider/dist/start.js 4010`. The `model` of a request is the name of its scene. */
import { provider } from './provider.ts'
import { scenes } from './scenes.ts'
import { providerServer } from './server.ts'

const port = Number(process.argv[2] ?? 4010)
providerServer(provider(scenes)).listen(port, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${port}/v1/chat/completions plays ${Object.keys(scenes).join(', ')}`)
})
