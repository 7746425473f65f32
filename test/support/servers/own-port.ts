/**
 * Ports of servers that a test starts. Between its choice and the server that listens on it a port is free for every
 * test that runs meanwhile, so each chosen one is noted in a folder that all tests of a run share. The ports lie below
 * those that a stack chooses, which notes none, and below those of outgoing connections.
 */
import { randomInt } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isFree } from '../../../deploy/local/ports.ts'

const FOLDER = join(tmpdir(), 'swaptide-test-ports')
const PORTS = { first: 10_000, end: 20_000 }
/** Removed with this thread. */
const noted: string[] = []

/** A port of the loopback address that is free, and that no other test of the run gets. */
export const ownPort = (): Promise<number> => ownPortsFrom(1)

/** The first of so many ports in a row, each as of `ownPort()`. */
export async function ownPortsFrom(count: number): Promise<number> {
  for (;;) {
    const first = randomInt(PORTS.first, PORTS.end - count)
    const ports = Array.from({ length: count }, (_, offset) => first + offset)
    const areFree = await Promise.all(ports.map((port) => isFree(port)))
    if (areFree.every(Boolean) && ports.every(note)) return first
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
