/**
 * Huge pages for PostgreSQL's shared memory (`up --tune`). Each session is a process and has a separate page fault for
 * every page of the buffers: in pages of 4 KiB those faults dominate a session's work on a market of gigabytes, and
 * each costs ten times as much in a virtual machine.
 *
 * No page is reserved for good: the kernel's ceiling of huge pages beyond its pool is raised while the server starts,
 * then restored. The server holds its pages until it ends. PostgreSQL uses ordinary pages where the ceiling cannot be
 * raised (not root, a container) or memory is short.
 */
import { accessSync, constants, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Lock, lockFolder } from '../local/files/lock.ts'
import type { Disallow } from '../local/servers/server.ts'
import { holdsWithin } from '../local/waiting.ts'

const KIB = 1024
const MIB = KIB * KIB
const CEILING = 'sys/vm/nr_overcommit_hugepages'
/** Pages of more (512 MiB on some machines) would waste most of the last one. */
const PAGE_BYTES_MAX = 32 * MIB
/** Huge pages are allocated at once, ordinary ones on demand: a machine with little memory left must not spend it. */
const SHARE_OF_AVAILABLE_MAX = 0.5
/** A server that waits longer for the lock, as while another recovers, starts with ordinary pages. */
const LOCK_BOUND_MS = 5_000

/** The kernel's huge pages as counts and its memory in bytes. */
export type HugePages = {
  pageBytes: number
  free: number
  /** Free pages that are reserved. */
  reserved: number
  /** Allocated beyond the pool. */
  surplus: number
  availableBytes: number
}

/** The ceiling of pages beyond the pool that so many bytes need; undefined if none are needed, or too many. */
export function ceilingFor(bytes: number, known: HugePages): number | undefined {
  const { pageBytes, free, reserved, surplus, availableBytes } = known
  if (!(pageBytes > 0 && pageBytes <= PAGE_BYTES_MAX)) return undefined
  const missing = Math.ceil(bytes / pageBytes) - Math.max(0, free - reserved)
  if (missing <= 0 || missing * pageBytes > availableBytes * SHARE_OF_AVAILABLE_MAX)
    return undefined
  return surplus + missing
}

/** Parses /proc/meminfo; a missing field is 0. */
export function parseMemory(text: string): HugePages {
  const read = (name: string): number =>
    Number(new RegExp(`^${name}: *(\\d+)`, 'm').exec(text)?.[1] ?? 0)
  return {
    pageBytes: read('Hugepagesize') * KIB,
    free: read('HugePages_Free'),
    reserved: read('HugePages_Rsvd'),
    surplus: read('HugePages_Surp'),
    availableBytes: read('MemAvailable') * KIB,
  }
}

/** The kernel's files, and the folder that a process locks while it changes the ceiling. */
export type Kernel = { lockPath: string; proc?: string; cgroups?: string }

/**
 * Raises the ceiling for a program that is about to allocate so many bytes of huge pages. The result restores it,
 * unless another program has changed it since; undefined if it was not raised. Calls are serialized by a lock, since
 * two at once would restore each other's value.
 */
export async function allowHugePages(
  bytes: number,
  { lockPath, proc = '/proc', cgroups = '/sys/fs/cgroup' }: Kernel,
): Promise<Disallow | undefined> {
  if (!canSetCeiling(proc)) return undefined
  let lock: Lock | undefined
  await holdsWithin(LOCK_BOUND_MS, async () => {
    lock = await lockFolder(lockPath)
    return lock !== undefined
  })
  const putBack = lock && raiseCeiling(bytes, proc, cgroups)
  if (putBack === undefined) {
    await lock?.release()
    return undefined
  }
  return async () => {
    putBack()
    await lock?.release()
  }
}

/** Whether the kernel has the ceiling and this account may set it. */
export function canSetCeiling(proc: string): boolean {
  try {
    accessSync(join(proc, CEILING), constants.W_OK)
    return true
  } catch {
    return false
  }
}

function raiseCeiling(bytes: number, proc: string, cgroups: string): (() => void) | undefined {
  const path = join(proc, CEILING)
  try {
    const known = parseMemory(readFileSync(join(proc, 'meminfo'), 'utf8'))
    const bound = `hugetlb.${known.pageBytes / MIB}MB.max`
    if (isBounded(readFileSync(join(proc, 'self/cgroup'), 'utf8'), cgroups, bound)) return undefined
    const wanted = ceilingFor(bytes, known)
    const before = readCeiling(path)
    if (wanted === undefined || wanted <= before) return undefined
    writeFileSync(path, String(wanted))
    return () => {
      try {
        if (readCeiling(path) === wanted) writeFileSync(path, String(before))
      } catch {
        // The setting stays raised, which reserves no memory; the server has started.
      }
    }
  } catch {
    // The kernel lacks the ceiling, or this account may not set it.
    return undefined
  }
}

const readCeiling = (path: string): number => Number(readFileSync(path, 'utf8'))

/**
 * Whether a control group bounds huge pages. Beyond such a bound the kernel promises pages all the same, and ends the
 * program that touches them.
 */
function isBounded(memberships: string, cgroups: string, bound: string): boolean {
  for (const line of memberships.trim().split('\n')) {
    const [, controllers = '', path = ''] = /^\d+:([^:]*):(.*)$/.exec(line) ?? []
    if (controllers.split(',').includes('hugetlb') && path !== '/') return true
    if (controllers !== '') continue
    for (let folder = path; ; folder = dirname(folder)) {
      if (hasValue(join(cgroups, folder, bound))) return true
      if (folder === '/' || folder === '.') break
    }
  }
  return false
}

function hasValue(bound: string): boolean {
  try {
    return readFileSync(bound, 'utf8').trim() !== 'max'
  } catch {
    // The group has no such bound.
    return false
  }
}
