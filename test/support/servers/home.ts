/**
 * The folder of a test run: the shared servers' files and all temporary folders of the tests. It lies in memory where
 * that is large enough, because hundreds of databases are created and dropped, of 700 files each: on ext4 that took
 * ten times the CPU of everything else the server did for them. Nothing in it must survive a crash.
 */
import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readdir, readFile, rm, statfs, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isAlive } from '../../../deploy/local/state.ts'

const MEMORY = '/dev/shm'
/** Free bytes of the file system and of the machine: the tests write up to 1.5 GiB and run in addition to that. */
const FREE_BYTES_MIN = 6 * 1024 ** 3
const PREFIX = 'swaptide-test-'

/** A new folder, readable for other accounts: some tests run programs as one. */
export async function makeTestHome(): Promise<string> {
  const parent = (await isUsable(MEMORY)) ? MEMORY : tmpdir()
  await removeLeft(parent)
  const home = await mkdtemp(join(parent, `${PREFIX}${process.pid}-`))
  await chmod(home, 0o755)
  return home
}

export async function removeTestHome(home: string): Promise<void> {
  await unmountBelow(home)
  // Servers of an interrupted test may still be writing their last.
  await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
}

/** Disks of tests that were interrupted. */
async function unmountBelow(home: string): Promise<void> {
  const mounts = await readFile('/proc/self/mounts', 'utf8').catch(() => '')
  for (const line of mounts.split('\n')) {
    const [, folder] = line.split(' ')
    if (folder?.startsWith(`${home}/`)) await promisify(execFile)('umount', ['-l', folder])
  }
}

/** Large enough, and programs may be run from there, as some tests do. */
async function isUsable(folder: string): Promise<boolean> {
  if (process.availableMemory() < FREE_BYTES_MIN) return false
  let probe: string | undefined
  try {
    const { bavail, bsize } = await statfs(folder)
    if (bavail * bsize < FREE_BYTES_MIN) return false
    probe = await mkdtemp(join(folder, 'swaptide-probe-'))
    const program = join(probe, 'program')
    await writeFile(program, '#!/bin/sh\n', { mode: 0o700 })
    await promisify(execFile)(program)
    return true
  } catch {
    return false
  } finally {
    if (probe !== undefined) await rm(probe, { recursive: true, force: true })
  }
}

/** Folders of runs that were killed would occupy memory until the next boot. */
async function removeLeft(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const [, pid] = /^swaptide-test-(\d+)-/.exec(name) ?? []
    if (pid !== undefined && !isAlive(Number(pid))) await removeTestHome(join(parent, name))
  }
}
