import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { run, stopAll } from '../release/run.mjs'

const node = (code, options) => run(process.execPath, ['--eval', code], options ?? {})

test('gives what the program writes, and not what it complains of', async () => {
  expect(await node(`console.error('why'); console.log('what')`)).toBe('what\n')
})

test('a program that fails is named, with the end of what it said', async () => {
  const failing = node(
    `for (let i = 0; i < 99; i++) console.log('line ' + i); console.error('at last'); process.exit(3)`,
  )
  await expect(failing).rejects.toThrow(/--eval[^]*ended with 3\n[^]*line 98\nat last$/)
  await expect(failing).rejects.not.toThrow('line 1\n')
})

test('where a failure is wanted, success is one', async () => {
  expect(await node(`console.error('no'); process.exit(1)`, { fails: true })).toBe('no\n')
  await expect(node('', { fails: true })).rejects.toThrow('ended with 0')
})

test('a program that is not there is an error', async () => {
  await expect(run('/nonexistent/program', [], {})).rejects.toThrow('ENOENT')
})

test('what still runs is stopped, with what it has started', async () => {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const inner = `require('node:net').connect(${server.address().port}, '127.0.0.1')`
  const waiting = node(`require('node:child_process').spawn(process.execPath, ['--eval', ${JSON.stringify(inner)}])`)
  const [socket] = await once(server, 'connection')
  const gone = new Promise((resolve) =>
    socket
      .on('error', () => {})
      .resume()
      .on('close', resolve),
  )
  stopAll()
  await expect(waiting).rejects.toThrow('ended with null')
  await gone
  server.close()
})
