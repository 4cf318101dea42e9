/** The worker as the store sees it: requests in, promises out. */
import { Worker } from 'node:worker_threads'
import { FactwireError } from '@factwire/core'
import type { Answered, Told, WriteAnswers, WriteRequest } from './request.ts'

export interface Writing {
  ask<Type extends WriteRequest['type']>(
    request: Extract<WriteRequest, { readonly type: Type }>,
  ): Promise<WriteAnswers[Type]>
  /** Settles when all that was asked is on the disk and the file is free. */
  close(): Promise<void>
}

interface Waiting {
  resolve(answer: unknown): void
  reject(error: Error): void
}

/** The sources run from where they are built. */
const workerUrl = (): URL =>
  new URL(import.meta.url.endsWith('.ts') ? '../dist/worker.js' : './worker.js', import.meta.url)

const failed = (message: string): FactwireError => new FactwireError('store_failed', message)

/** @throws FactwireError `store_failed` when the file cannot be had, with who holds it. */
export async function startWriting(file: string): Promise<Writing> {
  // Options of the process, such as a loader of its own, are not for this file.
  const worker = new Worker(workerUrl(), { workerData: file, execArgv: [] })
  const waiting = new Map<number, Waiting>()
  let next = 0
  let over: FactwireError | undefined
  let closed: () => void = () => undefined
  const closing = new Promise<void>((resolve) => {
    closed = resolve
  })

  function end(error: FactwireError): void {
    over ??= error
    for (const { reject } of waiting.values()) reject(over)
    waiting.clear()
    closed()
  }

  function settle({ id, answer, error }: Answered): void {
    const asked = waiting.get(id)
    waiting.delete(id)
    if (error === undefined) asked?.resolve(answer)
    else asked?.reject(failed(error))
  }

  await new Promise<void>((resolve, reject) => {
    worker.on('message', (told: Told) => {
      switch (told.type) {
        case 'ready':
          resolve()
          return
        case 'failed':
          reject(failed(told.message))
          return
        case 'answers':
          for (const answered of told.answers) settle(answered)
          // A store that nobody waits for keeps no process alive.
          if (waiting.size === 0) worker.unref()
          return
        case 'closed':
          end(failed('the store is closed'))
          return
        default:
          told satisfies never
      }
    })
    worker.on('error', (error) => {
      reject(failed(String(error)))
      end(failed(`the writer of ${file} has stopped: ${error}`))
    })
    worker.on('exit', () => end(failed(`the writer of ${file} has stopped`)))
  })
  worker.unref()

  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        if (over) {
          reject(over)
          return
        }
        const id = next++
        worker.ref()
        // The answer is that of the request: its type says which.
        waiting.set(id, { resolve: resolve as (answer: unknown) => void, reject })
        worker.postMessage({ id, request })
      }),
    close() {
      if (!over) {
        worker.ref()
        worker.postMessage('close')
      }
      return closing
    },
  }
}
