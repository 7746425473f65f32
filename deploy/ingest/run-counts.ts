/**
 * Outcome counts of one run of `ingest`, and the wait until the workers have counted every event of it. Where no event
 * was counted for a while a line reports it, and the wait continues: a worker may be started meanwhile.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Queryable } from '../../sql/driver/queryable.ts'
import { query } from '../../sql/query.ts'
import { duration, grouped } from '../cli/format.ts'
import type { Progress } from '../cli/progress.ts'

/** Counts of a run's events: swaps by outcome, `other` for pool events and token lines. */
export type RunCounts = {
  accepted: number
  duplicate: number
  conflict: number
  other: number
  dead: number
}

const sumRun = query<RunCounts>('runs/sum_run')

const POLL_MS = 50
const SILENCE_MS = 10_000

/**
 * The counts when they are complete, or the present ones when the signal is aborted. Without `progress`, in silence.
 */
export async function waitForCounts(
  countsNow: () => Promise<RunCounts>,
  expected: number,
  signal: AbortSignal,
  progress?: Progress,
  silenceMs: number = SILENCE_MS,
): Promise<RunCounts & { isComplete: boolean }> {
  let seen = -1
  let changedAt = performance.now()
  let loggedAt = changedAt
  for (;;) {
    const counts = await countsNow()
    const done = sum(counts)
    if (done >= expected || signal.aborted) return { ...counts, isComplete: done >= expected }
    const at = performance.now()
    if (done !== seen) changedAt = at
    seen = done
    if (at - Math.max(changedAt, loggedAt) >= silenceMs) {
      loggedAt = at
      progress?.say(
        `no worker has counted anything for ${duration(at - changedAt)}; is one running?`,
      )
    }
    progress?.update(() => `${grouped(done)} of ${grouped(expected)} counted by the workers`)
    await pause(POLL_MS)
  }
}

function sum({ accepted, duplicate, conflict, other, dead }: RunCounts): number {
  return accepted + duplicate + conflict + other + dead
}

/** Counts of a run so far, summed over lanes. */
export async function runCounts(db: Queryable, runId: string): Promise<RunCounts> {
  const [row] = await sumRun(db, [runId])
  return row ?? { accepted: 0, duplicate: 0, conflict: 0, other: 0, dead: 0 }
}
