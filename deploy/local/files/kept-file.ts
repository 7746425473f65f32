// Files that are kept from one start to the next: secrets, keys, who runs where. One that is there and cannot
// be read is not taken for absent, since what was made anew in its place would be written over the only copy. One
// is written whole or not at all, also where the machine loses power.

import { open, readFile, rename, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** What the file says; undefined only where there is none. Rejects, naming it, where it cannot be read. */
export function readKept(path: string): Promise<string | undefined> {
  return unlessAbsent(path, readFile(path, 'utf8'))
}

/** Whether there is such a file or folder. Rejects where that cannot be known. */
export async function isThere(path: string): Promise<boolean> {
  return (await unlessAbsent(path, stat(path))) !== undefined
}

/** Where a file is written before it takes its name. */
export const scratchOf = (path: string): string => `${path}.new`

/** Replaces the file; readable by its owner only. Resolves when the disk has it. */
export async function writeKept(path: string, text: string): Promise<void> {
  const scratch = scratchOf(path)
  const file = await open(scratch, 'w', 0o600)
  try {
    await file.writeFile(text)
    // A name that reached the disk before its bytes would be that of an empty file.
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(scratch, path)
  await syncFolder(dirname(path))
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path)
  try {
    await folder.sync()
  } catch (fault) {
    // Some file systems know it of files alone.
    if ((fault as NodeJS.ErrnoException).code !== 'EINVAL') throw fault
  } finally {
    await folder.close()
  }
}

/** What a text of ours says; undefined where it was cut short, or never was one. */
export function parseKept<Kept>(text: string): Kept | undefined {
  try {
    return JSON.parse(text) as Kept
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
