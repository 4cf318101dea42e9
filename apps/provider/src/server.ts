/** The provider as a server, for whoever speaks HTTP. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { setTimeout as rest } from 'node:timers/promises'
import type { Provider } from './provider.ts'
import type { ChatBody } from './strict.ts'

export function providerServer({ reply }: Provider): Server {
  async function play(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST' || !request.url?.endsWith('/chat/completions'))
      return void response.writeHead(404).end()
    let text = ''
    for await (const piece of request.setEncoding('utf8')) text += piece as string
    const { status, headers, moves } = reply(JSON.parse(text) as ChatBody)
    response.writeHead(status, headers)
    response.flushHeaders()
    for (const move of moves) {
      if (response.destroyed) return
      if (move.type === 'hang') return
      if (move.type === 'wait') await rest(move.milliseconds)
      else if (move.type === 'send' || move.type === 'bytes') {
        const piece = move.type === 'send' ? move.text : move.bytes
        await new Promise((written) => void response.write(piece, written))
      } else return void response.destroy()
    }
    response.end()
  }
  return createServer((request, response) => {
    play(request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(400)
      response.end(String(error))
    })
  })
}
