/**
 * On a machine that has everything, workers and what the database does for them give way to whoever answers somebody.
 * The API is one thread, and a question of a reader is a dozen sessions' work: at even shares each of these gets as
 * much of a busy core as it does, and what all wait for is behind every one of them.
 *
 * A niceness counts among the programs of a session where the kernel shares cores out by sessions (autogroup), and each
 * child of `up`, each process of PostgreSQL has one of its own: there the session has a niceness, too. Both are told.
 */
import { readdirSync, writeFileSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import type { Db } from '../sql/db.ts'
import { query } from '../sql/query.ts'
import { procStat, SESSION } from './local/proc-stat.ts'

const listWorkerSessions = query<{ pid: number }>('lease/list_worker_sessions')

/** A ninth of the weight of who answers: enough to keep up with 2,000 swaps/s beside readers who want both cores. */
const NICER = 10
const NICEST = constants.priority.PRIORITY_LOW
/** Connections are opened as they are needed. */
const LOOK_EVERY_MS = 2_000
/** The kernel lets who is not root tell it of one session in a tenth of a second. */
const ASK_AGAIN_MS = 110

/** Each thread of a program, and its session where it is alone in it. Of one that has ended, or is not ours, nothing. */
export async function giveWay(pid: number, signal: AbortSignal): Promise<void> {
  for (const thread of threadsOf(pid)) {
    try {
      setPriority(thread, Math.min(getPriority(thread) + NICER, NICEST))
    } catch {
      // It has ended, or belongs to another account: then it is as eager as before.
    }
  }
  while (!signal.aborted && !tellSession(pid)) {
    await pause(ASK_AGAIN_MS, undefined, { signal }).catch(() => {})
  }
}

/** Whether it need not be tried again. */
function tellSession(pid: number): boolean {
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

export type GivingWay = { stop(): Promise<void> }

/**
 * From now on the programs that `workers` tells of give way, and so do the sessions of all workers of a database whose
 * server runs on this machine, also those that come later. Of one that does not answer, later.
 */
export function keepGivingWay(workers: () => readonly number[], db?: Db): GivingWay {
  const stop = new AbortController()
  const told = new Set<number>()
  const look = async (): Promise<void> => {
    const sessions = db === undefined ? [] : await listWorkerSessions(db, []).catch(() => [])
    const pids = new Set([...workers(), ...sessions.map(({ pid }) => pid)])
    for (const pid of told) if (!pids.has(pid)) told.delete(pid)
    for (const pid of pids) {
      if (told.has(pid)) continue
      told.add(pid)
      await giveWay(pid, stop.signal)
    }
  }
  const loop = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await look()
      await pause(LOOK_EVERY_MS, undefined, { signal: stop.signal }).catch(() => {})
    }
  }
  const looking = loop()
  return {
    async stop() {
      stop.abort()
      await looking
    },
  }
}
