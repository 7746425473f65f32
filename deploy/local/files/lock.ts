// One holder at a time for a folder, across all programs of the machine: a listening socket in the
// kernel's abstract name space, named after the folder's device and inode. The kernel frees it
// with its holder, however that ended, so there is no stale lock and no race in taking one over.
// Bounds: two containers with separate networks that share a folder do not see each other's lock; a lock that was
// released may look held while its process starts a child, which has a copy of the socket until its program runs.

import { stat } from 'node:fs/promises'
import { createServer } from 'node:net'

export type Lock = { release(): Promise<void> }

/** The lock on the folder, or undefined while another holds it. */
export async function lockFolder(folder: string): Promise<Lock | undefined> {
  const { dev, ino } = await stat(folder, { bigint: true })
  const server = createServer((socket) => socket.destroy())
  const held = await new Promise<boolean>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    )
    server.listen({ path: `\0swaptide-${dev}-${ino}`, exclusive: true }, () => resolve(true))
  })
  if (!held) return undefined
  // Holding the lock must not keep an otherwise finished program alive.
  server.unref()
  return {
    release: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
