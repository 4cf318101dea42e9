/**
 * One process writes a file. The lock is the operating system's, on a file beside it, so it goes with the process that holds it,
 * however that ends. Who holds it stands in another, for the message.
 */
import { closeSync, openSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { type Database, openDatabase } from './database.ts'

export interface Lock {
  release(): void
}

/** @throws Error that says who holds the file. */
export async function lock(file: string): Promise<Lock> {
  const real = realName(file)
  const holder = `${real}.holder`
  const database = await openDatabase(`${real}.lock`, { timeout: 0 })
  if (!take(database)) {
    database.close()
    throw new Error(`${file} is held by ${whoHolds(holder)}: one process at a time writes it`)
  }
  writeFileSync(holder, `process ${process.pid} on ${hostname()}, since ${new Date().toISOString()}\n`)
  return {
    release() {
      rmSync(holder, { force: true })
      database.close()
    },
  }
}

/** A file has one lock, whatever it is called. Only a file that is there has a real name: it is made if need be. */
function realName(file: string): string {
  closeSync(openSync(file, 'a'))
  return realpathSync(file)
}

/** A write in this mode takes a lock that stays until the connection is closed. */
function take(database: Database): boolean {
  try {
    database.pragma('locking_mode = EXCLUSIVE')
    database.exec('CREATE TABLE IF NOT EXISTS held (n INTEGER); DELETE FROM held; INSERT INTO held VALUES (1)')
    return true
  } catch (error) {
    if (/database is locked/.test(String(error))) return false
    throw error
  }
}

function whoHolds(holder: string): string {
  try {
    return readFileSync(holder, 'utf8').trim()
  } catch {
    return 'another process'
  }
}
