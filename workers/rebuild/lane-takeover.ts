/**
 * Takes over all lanes of an actor for a rebuild, by the lease that workers use (live workers lose the lanes, and their
 * commits fail), and renews the leases until they are released.
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../../domain/log.ts'
import type { Connection, Db } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'

const ensureLanes = query('lease/ensure_lanes')
const takeOverLanes = query<{ lane: number; epoch: number }>('lease/take_over_lanes')
const holdLanes = query<{ lane: number }>('lease/hold_lanes')
const releaseLanes = query('lease/release_lanes')

/** Milliseconds that the lanes stay leased after their holder dies. */
const LEASE_MS = 15_000

export type LaneTakeover = {
  /** Within a transaction: it is of the owner of all lanes, or rejected. */
  hold(connection: Connection): Promise<void>
}

/**
 * Runs `work` while it holds every lane. Rejects when the lanes are lost, when the work rejects, or as soon as it is
 * aborted, even if the work is still running without the lanes.
 */
export async function withAllLanes<Result>(
  db: Db,
  actor: string,
  { laneCount, log, signal }: { laneCount: number; log: Log; signal?: AbortSignal | undefined },
  work: (takeover: LaneTakeover) => Promise<Result>,
): Promise<Result> {
  const owner = `rebuild-${randomUUID().slice(0, 8)}`
  await ensureLanes(db, [actor, laneCount])
  const takenOver = await takeOverLanes(db, [owner, LEASE_MS, actor])
  log.info({ actor, lanes: takenOver.length, owner }, 'took over lanes for rebuild')
  const hold = async (connection: Connection | Db): Promise<void> => {
    const own = await holdLanes(connection, [owner, LEASE_MS, actor])
    if (own.length < takenOver.length)
      throw new Error(`the rebuild lost the lanes of the ${actor} to another owner`)
  }
  const renewing = new AbortController()
  const renewal = keepLanes(() => hold(db), renewing.signal)
  try {
    return await Promise.race([
      work({ hold }),
      renewal.then(neverEnds<Result>),
      rejectionBy(signal),
    ])
  } finally {
    renewing.abort()
    await renewal.catch(() => {})
    await releaseLanes(db, [owner, actor])
  }
}

/** Renews the leases until it is aborted. */
async function keepLanes(hold: () => Promise<void>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await pause(LEASE_MS / 5, undefined, { signal }).catch(() => {})
    if (!signal.aborted) await hold()
  }
}

/** Rejects once it is aborted. */
export async function rejectionBy(signal: AbortSignal | undefined): Promise<never> {
  if (signal === undefined) return await neverEnds<never>()
  if (!signal.aborted) await once(signal, 'abort')
  throw new Error('rebuild was cancelled', { cause: signal.reason })
}

const neverEnds = <Result>(): Promise<Result> => new Promise(() => {})
