/** So many connections to one address, read and thrown away. Arguments: a port, a path, how many. */
import { connect } from 'node:net'

const [port, path, count] = process.argv.slice(2)
let connected = 0
for (let index = 0; index < Number(count); index++) {
  const socket = connect(Number(port), '127.0.0.1', () => {
    socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`)
  })
  socket.once('data', () => {
    if (++connected === Number(count)) console.log('ready')
  })
  socket.on('data', () => undefined)
  socket.on('error', () => process.exit(1))
}
process.stdin.on('data', () => undefined)
