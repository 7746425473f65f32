/** Seals the swaps of a drill while it runs, as an operator may at any time: what is some seconds old, again and again. */
import { setTimeout as pause } from 'node:timers/promises'
import { inspect } from 'node:util'
import type { ExecutionContext } from 'ava'
import { sealOld } from '../../../history/sealing/sealer.ts'
import { verifyHistory } from '../../../history/sealing/verify-history.ts'
import { type Db, isRetryable, onConnection } from '../../../sql/db.ts'
import { inSnapshot } from '../../../sql/snapshot.ts'
import { until } from '../workers/pipeline.ts'

type DrillSealing = {
  /** Waits until something is sealed under load: on a busy machine the actors are late, and nothing can be sealed. */
  sealed(boundMs: number): Promise<void>
  /** Seals no more. */
  stop(): Promise<void>
  /**
   * Seals the older half of all slots once nothing is published any more, and asserts that all that is sealed is whole. Returns
   * how much that is, and how often the runs before ended in which way.
   */
  end(boundMs: number): Promise<{ segments: number; swaps: number; outcomes: string }>
}

const EVERY_MS = 3_000
/** Slots before the newest one, some seconds of the load: later ones are being stored. */
const YOUNG_SLOTS = 10
const ALL = { beforeMs: undefined, toSlot: Number.MAX_SAFE_INTEGER, partsOfChunks: true }

export function sealMeanwhile(t: ExecutionContext, db: Db): DrillSealing {
  const stopping = new AbortController()
  const { signal } = stopping
  const outcomes = new Map<string, number>()
  const unexpected: string[] = []
  let sealedRuns = 0
  const running = (async () => {
    while (!signal.aborted) {
      await pause(EVERY_MS, undefined, { signal }).catch(() => {})
      const sealing = sealOlder(db, signal).then(({ runs, outcome }) => {
        sealedRuns += runs
        return outcome
      })
      const outcome = await sealing.catch((error: Error) => {
        // A fault of the database fails a seal, which changes nothing then.
        if (!isRetryable(error)) unexpected.push(inspect(error))
        return error.message
      })
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    }
  })()
  const stop = async (): Promise<void> => {
    stopping.abort()
    await running
  }
  t.teardown(stop)
  return {
    sealed: (boundMs) => until('something is sealed', boundMs, async () => sealedRuns > 0),
    stop,
    async end(boundMs) {
      await stop()
      t.deepEqual(unexpected, [])
      const endless = new AbortController().signal
      await until('the older half is sealed', boundMs, async () => {
        const order = { ...ALL, toSlot: await middleSlot(db) }
        return (await sealOld(db, order, endless, () => {})).waits === undefined
      })
      return await onConnection(db, (connection) =>
        inSnapshot(connection, async () => {
          let [segments, swaps] = [0, 0]
          for await (const { damage, rows } of verifyHistory(connection, endless)) {
            t.deepEqual(damage, [])
            segments += 1
            swaps += rows
          }
          const ends = [...outcomes].map(([outcome, count]) => `${count} x ${outcome}`)
          return { segments, swaps, outcomes: ends.join(', ') }
        }),
      )
    },
  }
}

async function middleSlot(db: Db): Promise<number> {
  const { rows } = await db.query<{ slot: number }>(
    'select (min(first_slot) + (select max(slot) from swap)) / 2 as slot from pool',
  )
  return rows[0]!.slot
}

/** How many runs of slots it sealed, and how it ended. */
async function sealOlder(db: Db, signal: AbortSignal): Promise<{ runs: number; outcome: string }> {
  const { rows } = await db.query<{ slot: number | null }>('select max(slot) as slot from swap')
  const newest = rows[0]?.slot ?? 0
  const toSlot = newest - YOUNG_SLOTS
  const { runs, waits } = await sealOld(db, { ...ALL, toSlot }, signal, () => {})
  return {
    runs,
    outcome: waits === undefined ? `${runs} sealed` : `${runs} sealed: ${waits.reason}`,
  }
}
