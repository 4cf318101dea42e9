/**
 * The worker that writes. What comes while a group is being written is the next group: the slower the disk, the more share one
 * wait for it.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { openDatabase, prepareToWrite } from './database.ts'
import { lock } from './lock.ts'
import type { Answered, Asked, Told } from './request.ts'
import { migrate } from './schema.ts'
import { writer } from './writer.ts'

/** Requests in one transaction. */
const GROUP = 512

async function work(port: MessagePort, file: string): Promise<void> {
  const tell = (told: Told): void => port.postMessage(told)
  const held = await lock(file)
  const database = await openDatabase(file, { timeout: 5000 })
  prepareToWrite(database)
  migrate(database)
  const { write } = writer(database)
  let waiting: Asked[] = []
  let isClosing = false
  let isDue = false

  function drain(): void {
    isDue = false
    const group = waiting.slice(0, GROUP)
    waiting = waiting.slice(GROUP)
    if (group.length > 0) tell({ type: 'answers', answers: writeGroup(group) })
    if (waiting.length > 0) due()
    else if (isClosing) close()
  }

  function writeGroup(group: readonly Asked[]): readonly Answered[] {
    try {
      return write(group)
    } catch (error) {
      return group.map(({ id }) => ({ id, error: String(error) }))
    }
  }

  function due(): void {
    if (isDue) return
    isDue = true
    setImmediate(drain)
  }

  function close(): void {
    database.pragma('wal_checkpoint(TRUNCATE)')
    database.close()
    held.release()
    tell({ type: 'closed' })
    port.close()
  }

  port.on('message', (asked: Asked | 'close') => {
    if (asked === 'close') isClosing = true
    else waiting.push(asked)
    due()
  })
  tell({ type: 'ready' })
}

if (parentPort) {
  const port = parentPort
  work(port, String(workerData)).catch((error: unknown) => {
    const told: Told = { type: 'failed', message: error instanceof Error ? error.message : String(error) }
    port.postMessage(told)
    port.close()
  })
}
