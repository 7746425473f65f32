/**
 * CPU priorities on a machine that Swaptide has to itself (`up --tune` or SWAPTIDE_TUNE=1): workers, their sessions in PostgreSQL and its vacuums
 * get a lower priority than the API, which is one thread that all readers wait for. Next to other busy programs of the same
 * machine the workers starve and lose their lanes, so this is off by default.
 *
 * Where the kernel distributes cores by sessions (autogroup), a niceness counts only among the programs of a session,
 * and each child of `up` and each process of PostgreSQL has its own session. Both are set: the niceness of the threads
 * and that of the session. Decision: docs/decisions/0012-tuning-is-opt-in.md
 */
import { readdirSync, writeFileSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { procStat, SESSION } from './proc-stat.ts'

/** A ninth of the weight of the API: enough for 2,000 swaps/s next to readers that want both cores. */
const NICER = 10
const NICEST = constants.priority.PRIORITY_LOW
/** Connections are opened as they are needed. */
const SCAN_INTERVAL_MS = 2_000
/** The kernel accepts one change of a session's niceness in a tenth of a second from an account other than root. */
const RETRY_MS = 110

/**
 * Lowers the priority of each thread of a program, and of its session where it is the only program in it. A program that has ended or
 * belongs to another account is ignored.
 */
export async function lowerPriority(pid: number, signal: AbortSignal): Promise<void> {
  for (const thread of threadsOf(pid)) {
    try {
      setPriority(thread, Math.min(getPriority(thread) + NICER, NICEST))
    } catch {
      // The process has ended, or belongs to another account: its priority stays.
    }
  }
  while (!signal.aborted && !lowerSession(pid)) {
    await pause(RETRY_MS, undefined, { signal }).catch(() => {})
  }
}

/** False where the kernel requires a later retry. */
function lowerSession(pid: number): boolean {
  try {
    if (Number(procStat(pid)?.(SESSION)) === pid)
      writeFileSync(`/proc/${pid}/autogroup`, String(NICER))
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EAGAIN'
  }
}

function threadsOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number)
  } catch {
    return []
  }
}

type PriorityWatch = { stop(): Promise<void> }

type Pids = readonly (number | undefined)[]

/**
 * Lowers the priority of the programs that `workers` lists, and of the processes of the database's server that `sessions` lists,
 * also of later ones. Where they cannot be listed, that is tried again at the next scan.
 */
export function watchPriorities(
  workers: () => Pids,
  sessions: () => Promise<Pids> = async () => [],
): PriorityWatch {
  const stop = new AbortController()
  const lowered = new Set<number>()
  const scan = async (): Promise<void> => {
    const listed = [...workers(), ...(await sessions().catch(() => []))]
    const pids = new Set(listed.filter((pid) => pid !== undefined))
    for (const pid of lowered) if (!pids.has(pid)) lowered.delete(pid)
    for (const pid of pids) {
      if (lowered.has(pid)) continue
      lowered.add(pid)
      await lowerPriority(pid, stop.signal)
    }
  }
  const loop = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await scan()
      await pause(SCAN_INTERVAL_MS, undefined, { signal: stop.signal }).catch(() => {})
    }
  }
  const running = loop()
  return {
    async stop() {
      stop.abort()
      await running
    },
  }
}
