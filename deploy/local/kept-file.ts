// Files that are kept from one start to the next: secrets, keys, who runs where. One that is there and cannot
// be read is not taken for absent, since what was made anew in its place would be written over the only copy.

import { readFile, stat } from 'node:fs/promises'

/** What the file says; undefined only where there is none. Rejects, naming it, where it cannot be read. */
export function readKept(path: string): Promise<string | undefined> {
  return unlessAbsent(path, readFile(path, 'utf8'))
}

/** Whether there is such a file or folder. Rejects where that cannot be known. */
export async function isThere(path: string): Promise<boolean> {
  return (await unlessAbsent(path, stat(path))) !== undefined
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
