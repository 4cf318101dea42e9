/** Requests by hand, for what no client would send. */
import { connect } from 'node:net'

/** Everything that the server answers to these bytes, until it closes the connection. */
export function raw(port: number, ...pieces: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let answer = ''
    socket.on('data', (data) => (answer += data.toString('latin1')))
    socket.on('close', () => resolve(answer))
    socket.on('error', (error) => (answer === '' ? reject(error) : resolve(answer)))
    for (const piece of pieces) socket.write(piece, 'latin1')
  })
}

export const statusIn = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0)

/** A request whose connection closes with its answer. */
export function request(line: string, headers: Readonly<Record<string, string>>, body = ''): string {
  const all = { connection: 'close', 'content-length': String(Buffer.byteLength(body)), ...headers }
  const told = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${line} HTTP/1.1\r\n${told.join('')}\r\n${body}`
}
