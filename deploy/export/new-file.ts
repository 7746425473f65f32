/**
 * A file that appears under its name when it is whole: written next to it, hashed, flushed to disk, renamed.
 *
 * Law: a crash, a kill or a full disk leaves no file of that name, only a scratch file.
 */
import { createHash } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { scratchOf, syncFolder } from '../local/files/durable-file.ts'

export type Written = { bytes: number; sha256: string }

export type NewFile = {
  /** Resolves when the chunk may be changed. */
  write(chunk: Uint8Array): Promise<void>
  /** Gives the file its name. Resolves when it is on disk. */
  finish(): Promise<Written>
  /** Removes what was written. */
  discard(): Promise<void>
}

export async function newFile(path: string): Promise<NewFile> {
  const scratch = scratchOf(path)
  const handle = await open(scratch, 'wx')
  const hash = createHash('sha256')
  let bytes = 0
  return {
    async write(chunk) {
      hash.update(chunk)
      for (let done = 0; done < chunk.length; ) {
        const { bytesWritten } = await handle.write(chunk, done, chunk.length - done)
        done += bytesWritten
        bytes += bytesWritten
      }
    },
    async finish() {
      await handle.sync()
      await handle.close()
      await rename(scratch, path)
      await syncFolder(dirname(path))
      return { bytes, sha256: hash.digest('hex') }
    },
    async discard() {
      await handle.close().catch(() => {})
      await rm(scratch, { force: true })
    },
  }
}
