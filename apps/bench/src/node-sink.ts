/** Node's response as a hub's sink. */
import type { ServerResponse } from 'node:http'
import type { AttachedStream } from '@factwire/hub'

export function pipe(attached: AttachedStream, response: ServerResponse): void {
  response.writeHead(200, attached.headers)
  response.flushHeaders()
  const reading = attached.pipe({
    // `false` means accepted and full. A response that closes never drains.
    write: (bytes) => (response.write(bytes) ? undefined : room(response)),
    end: () => response.end(),
  })
  response.on('close', () => reading.leave())
}

function room(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done)
      response.off('close', done)
      resolve()
    }
    response.once('drain', done)
    response.once('close', done)
    if (response.destroyed) done()
  })
}
