/**
 * Outcome counts of one run of `ingest`, and the wait until the workers have counted every event of it. Where no event
 * was counted for a while a line reports it, and the wait continues: a worker may be started meanwhile.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Queryable } from '../../sql/driver/queryable.ts'
import { query } from '../../sql/query.ts'
import { duration, grouped } from '../cli/format.ts'
import type { Progress } from '../cli/progress.ts'

/**
 * Counts of a run's events, each in one of them: swaps by outcome, `other` for pool events and token lines. `retracted_`:
 * left out because their block had been retracted; `dropped_`: because swaps of their slots are no longer stored.
 */
export type RunCounts = {
  accepted: number
  duplicate: number
  conflict: number
  other: number
  dead: number
  retracted_swap: number
  retracted_pool_event: number
  dropped_swap: number
  dropped_pool_event: number
}

const NOTHING: RunCounts = {
  ...{ accepted: 0, duplicate: 0, conflict: 0, other: 0, dead: 0 },
  ...{ retracted_swap: 0, retracted_pool_event: 0, dropped_swap: 0, dropped_pool_event: 0 },
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
    const done = sumOfCounts(counts)
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

/** Events that the workers have counted. */
export function sumOfCounts(counts: RunCounts): number {
  const { accepted, duplicate, conflict, other, dead } = counts
  const { retracted_swap, retracted_pool_event, dropped_swap, dropped_pool_event } = counts
  const leftOut = retracted_swap + retracted_pool_event + dropped_swap + dropped_pool_event
  return accepted + duplicate + conflict + other + dead + leftOut
}

/** Counts of a run so far, summed over lanes. */
export async function runCounts(db: Queryable, runId: string): Promise<RunCounts> {
  const [row] = await sumRun(db, [runId])
  return row ?? NOTHING
}
