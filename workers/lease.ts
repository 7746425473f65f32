/**
 * Which lanes this process owns: leases with epochs in PostgreSQL, by PostgreSQL's clock.
 *
 * Every tick a worker says that it lives, renews what it owns, gives back what is more than its share
 * and takes what is free. A worker that dies is forgotten when its leases run out; one that was frozen
 * wakes up with an old epoch, and its commits fail. Leases only share work out: what keeps two owners
 * apart is the compare-and-set in the commit.
 */
import type { Db } from '../sql/db.ts'
import { query } from '../sql/query.ts'
import type { Log } from '../streams/log.ts'
import type { Actor, Grant } from './actor.ts'

const ensureLanes = query('lease/ensure_lanes')
const beatWorker = query('lease/beat_worker')
const forgetWorker = query('lease/forget_worker')
const countWorkers = query<{ actor: string; workers: number }>('lease/count_workers')
const renewLeases = query<{ actor: string; lane: number; epoch: number }>('lease/renew_leases')
const claimLane = query<{ lane: number; epoch: number }>('lease/claim_lane')
const releaseLane = query('lease/release_lane')

/** How long a silent owner keeps its lanes: a dead one is followed within this and a tick. */
export const DEFAULT_LEASE_MS = 8_000
const TICKS_PER_LEASE = 8

export type LeaseOptions = {
  db: Db
  workerId: string
  actors: readonly Actor[]
  laneCount: number
  leaseMs: number
  log: Log
  /** Runs a lane until the grant's signal; rejects only where the process must end. */
  run: (actor: Actor, grant: Grant) => Promise<void>
}

type Held = { actor: Actor; grant: Grant; stop: AbortController; finished: Promise<void> }

export type Leases = {
  /** Drains every lane and gives it back. */
  stop(): Promise<void>
  /** Rejects when a lane ended by an assertion. */
  failed: Promise<never>
}

/** Begins to take lanes. */
export async function holdLeases(options: LeaseOptions): Promise<Leases> {
  const { db, actors, laneCount, leaseMs, log } = options
  for (const actor of actors) await ensureLanes(db, [actor.name, laneCount])
  const held = new Map<string, Held>()
  let fail: (error: unknown) => void = () => {}
  const failed = new Promise<never>((_, reject) => {
    fail = reject
  })
  failed.catch(() => {})
  let isStopped = false
  let ticking = Promise.resolve()

  const begin = (actor: Actor, lane: number, epoch: number) => {
    const stop = new AbortController()
    const grant: Grant = { lane, epoch, signal: stop.signal }
    const key = `${actor.name}/${lane}`
    log.info({ actor: actor.name, lane, epoch }, 'lane taken')
    const finished = options
      .run(actor, grant)
      .catch(fail)
      .finally(() => {
        if (held.get(key)?.grant === grant) held.delete(key)
      })
    held.set(key, { actor, grant, stop, finished })
  }

  const giveBack = async ({ actor, grant, stop, finished }: Held) => {
    stop.abort()
    await finished
    await releaseLane(db, [options.workerId, actor.name, grant.lane, grant.epoch])
    log.info({ actor: actor.name, lane: grant.lane }, 'lane given back')
  }

  const tick = async () => {
    await beatWorker(db, [options.workerId, actors.map((actor) => actor.name)])
    const mine = await renewLeases(db, [options.workerId, leaseMs])
    const epochs = new Map(mine.map((row) => [`${row.actor}/${row.lane}`, row.epoch]))
    for (const [key, lane] of held) {
      if (epochs.get(key) !== lane.grant.epoch) lane.stop.abort()
    }
    // Owned but not run: its run ended by itself (fenced), or was still draining when it came back.
    for (const { actor, lane, epoch } of mine) {
      if (held.has(`${actor}/${lane}`)) continue
      await releaseLane(db, [options.workerId, actor, lane, epoch])
    }
    const workers = new Map(
      (await countWorkers(db, [leaseMs])).map((row) => [row.actor, row.workers]),
    )
    for (const actor of actors) {
      const share = Math.ceil(laneCount / Math.max(1, workers.get(actor.name) ?? 1))
      const own = [...held.values()].filter((lane) => lane.actor === actor)
      for (const surplus of own.slice(share)) await giveBack(surplus)
      for (let count = own.length; count < share; count++) {
        const [claimed] = await claimLane(db, [options.workerId, leaseMs, actor.name])
        if (claimed === undefined) break
        if (held.has(`${actor.name}/${claimed.lane}`)) break
        begin(actor, claimed.lane, claimed.epoch)
      }
    }
  }

  const guardedTick = () => {
    ticking = ticking.then(async () => {
      if (isStopped) return
      await tick().catch((error) => log.warn({ err: error }, 'leases could not be renewed'))
    })
    return ticking
  }
  const timer = setInterval(guardedTick, Math.max(50, Math.floor(leaseMs / TICKS_PER_LEASE)))
  await guardedTick()

  return {
    failed,
    async stop() {
      isStopped = true
      clearInterval(timer)
      await ticking
      await Promise.all(
        [...held.values()].map((lane) =>
          giveBack(lane).catch((error) => log.warn({ err: error }, 'lane not given back')),
        ),
      )
      await forgetWorker(db, [options.workerId]).catch((error) =>
        log.warn({ err: error }, 'worker not signed off'),
      )
    },
  }
}
