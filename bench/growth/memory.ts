/**
 * Holds a server and what it caches of its files to so many bytes of memory, by a control group of Linux: the pages of a file
 * count for the group that first reads them. Needs root.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { childrenOf } from '../measure/cpu.ts'

/** The unified hierarchy, and the one of memory before it. */
const HIERARCHIES = [
  { folder: '/sys/fs/cgroup', limit: 'memory.max' },
  { folder: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes' },
]
const GROUP = 'swaptide-bench'

/** Limits this process and its children, later ones too. Throws where the system has no such groups or lets none be made. */
export function limitMemory(pid: number, bytes: number): void {
  for (const { folder, limit } of HIERARCHIES) {
    if (!existsSync(folder)) continue
    const group = join(folder, GROUP)
    mkdirSync(group, { recursive: true })
    if (!existsSync(join(group, limit))) continue
    writeFileSync(join(group, limit), String(bytes))
    const processes = join(group, 'cgroup.procs')
    writeFileSync(processes, String(pid))
    for (const child of childrenOf(pid)) move(processes, child.pid)
    return
  }
  throw new Error('no control group of memory in /sys/fs/cgroup: run without --memory')
}

/** Unless the process has ended. */
function move(processes: string, pid: number): void {
  try {
    writeFileSync(processes, String(pid))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
