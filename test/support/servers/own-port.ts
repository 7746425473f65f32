/**
 * Ports of servers that a test starts. Between its choice and the server that listens on it a port is free for every
 * test that runs meanwhile, so each chosen one is noted in a folder that all tests of a run share.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../../deploy/local/ports.ts'

const FOLDER = join(tmpdir(), 'swaptide-test-ports')
/** Removed with this thread. */
const noted: string[] = []

/** A port of the loopback address that is free, and that no other test of the run gets. */
export async function ownPort(): Promise<number> {
  for (;;) {
    const port = await freePort()
    if (note(port)) return port
  }
}

function note(port: number): boolean {
  mkdirSync(FOLDER, { recursive: true })
  const file = join(FOLDER, String(port))
  try {
    writeFileSync(file, '', { flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
  if (noted.length === 0) process.once('exit', removeNotes)
  noted.push(file)
  return true
}

function removeNotes(): void {
  for (const file of noted) rmSync(file, { force: true })
}
