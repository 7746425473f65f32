// Durable files of a home: secrets, keys, the process that runs the servers. An unreadable file is not treated as
// absent, because a new one in its place would overwrite the only copy. A write is atomic, also across a power loss.

import { open, readFile, rename, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** The text of the file; undefined only if it does not exist. Rejects with its path if it cannot be read. */
export function readDurable(path: string): Promise<string | undefined> {
  return unlessAbsent(path, readFile(path, 'utf8'))
}

/** Whether the file or folder exists. Rejects if that cannot be determined. */
export async function isThere(path: string): Promise<boolean> {
  return (await unlessAbsent(path, stat(path))) !== undefined
}

/** The temporary path that a file is written to before it is renamed. */
export const scratchOf = (path: string): string => `${path}.new`

/** Replaces the file, readable by its owner only. Resolves when it is on disk. */
export async function writeDurable(path: string, text: string): Promise<void> {
  const scratch = scratchOf(path)
  const file = await open(scratch, 'w', 0o600)
  try {
    await file.writeFile(text)
    // Without this the rename may reach the disk before the bytes, and leave an empty file.
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(scratch, path)
  await syncFolder(dirname(path))
}

/** Flushes the names of a folder to disk. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path)
  try {
    await folder.sync()
  } catch (error) {
    // Some file systems support fsync for files only.
    if ((error as NodeJS.ErrnoException).code !== 'EINVAL') throw error
  } finally {
    await folder.close()
  }
}

/** The value of a file's JSON; undefined if the text is truncated or no JSON. */
export function parseDurable<Value>(text: string): Value | undefined {
  try {
    return JSON.parse(text) as Value
  } catch {
    return undefined
  }
}

async function unlessAbsent<Found>(
  path: string,
  looking: Promise<Found>,
): Promise<Found | undefined> {
  try {
    return await looking
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new Error(
      `"${path}" cannot be read: use the account that it belongs to, or set SWAPTIDE_HOME to another folder`,
      { cause },
    )
  }
}
