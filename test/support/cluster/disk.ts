/** A small disk of one test, in memory, which the test fills to its last byte; mounting it needs the rights of root. */
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmdirSync } from 'node:fs'
import { chmod, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { ExecutionContext } from 'ava'

export type Disk = {
  /** Returns when no byte is left. */
  fill(): Promise<void>
  /** Makes room again. */
  free(): Promise<void>
}

const run = promisify(execFile)
const MIB = 1024 * 1024
const BLOCK_BYTES = [MIB, 4096]
/** Memory that must be free for a disk of one mebibyte and its sibling, and for all that runs alongside them. */
const MEMORY_SHARE = 3

/** Why this machine can have no two of them; undefined where it can. */
export function whyNoDisks(mib: number): string | undefined {
  if (process.availableMemory() < mib * MEMORY_SHARE * MIB) return 'there is too little memory'
  const folder = mkdtempSync(join(tmpdir(), 'swaptide-disk-'))
  try {
    execFileSync('mount', mountArguments(folder, 1), { stdio: 'ignore' })
    execFileSync('umount', [folder])
    return undefined
  } catch {
    return 'this account may not mount a file system'
  } finally {
    rmdirSync(folder)
  }
}

/** Mounted on the folder, which is empty, until the test ends. */
export async function smallDisk(t: ExecutionContext, folder: string, mib: number): Promise<Disk> {
  await run('mount', mountArguments(folder, mib))
  t.teardown(() => run('umount', [folder]))
  await chmod(folder, 0o700)
  const filler = join(folder, 'filler')
  return {
    async fill() {
      const file = await open(filler, 'a')
      try {
        for (const bytes of BLOCK_BYTES) await writeAll(file, Buffer.alloc(bytes))
      } finally {
        await file.close()
      }
    },
    free: () => rm(filler, { force: true }),
  }
}

const mountArguments = (folder: string, mib: number): string[] => [
  ...['-t', 'tmpfs', '-o', `size=${mib}m`, 'tmpfs', folder],
]

/** Until the disk refuses a write. */
async function writeAll(file: Awaited<ReturnType<typeof open>>, block: Buffer): Promise<void> {
  for (;;) {
    try {
      await file.write(block)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return
      throw error
    }
  }
}
