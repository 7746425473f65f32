/**
 * How far a replay has come, in a file next to its output: replaced whole, so that it is the old one or the
 * new one, and never ahead of the output, which is written and synchronised before it.
 */
import { readFile, rm } from 'node:fs/promises'
import type { ReplayRecord } from '../../streams/replay/replay.ts'
import { UsageError } from '../cli/arguments.ts'
import { parseDurable, writeDurable } from '../local/files/durable-file.ts'

const VERSION = 1

/** Throws UsageError for a missing file, or one of another version. */
export async function readRecord(path: string): Promise<ReplayRecord> {
  const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ENOENT') throw cause
    throw new UsageError(`--resume: "${path}" not found: no replay was interrupted there`)
  })
  const record = parseDurable<ReplayRecord>(text)
  if (record?.version === VERSION) return record
  throw new UsageError(`--resume: "${path}": expected the position of a replay of this version`)
}

export async function writeRecord(path: string, record: ReplayRecord): Promise<void> {
  await writeDurable(path, `${JSON.stringify(record)}\n`)
}

export async function removeRecord(path: string): Promise<void> {
  await rm(path, { force: true })
}
