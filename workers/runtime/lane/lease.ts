/**
 * The lanes that this process owns: leases with epochs in PostgreSQL, by PostgreSQL's clock.
 *
 * Every tick a worker records its heartbeat, renews the leases it owns, returns those beyond its share and takes free
 * ones. A worker that dies is forgotten when its leases run out; one that was frozen wakes up with an old epoch, and
 * its commits fail. Leases only distribute work: the compare-and-set in the commit excludes a second owner.
 *
 * Decision: docs/decisions/0005-leases-per-lane-with-epochs.md
 */

import type { Log } from '../../../domain/log.ts'
import { type Db, historyOf } from '../../../sql/db.ts'
import { noteHistory } from '../../../sql/note-history.ts'
import { query } from '../../../sql/query.ts'
import type { Actor, Grant } from '../actor.ts'

const ensureLanes = query('lease/ensure_lanes')
const beatWorker = query('lease/beat_worker')
const forgetWorker = query('lease/forget_worker')
const countWorkers = query<{ actor: string; workers: number }>('lease/count_workers')
type OwnLane = { actor: string; lane: number; epoch: number }

const listLanes = query<OwnLane>('lease/list_lanes')
const renewLease = query('lease/renew_lease')
const claimLane = query<{ lane: number; epoch: number }>('lease/claim_lane')
const endLostOwners = query('lease/end_lost_owners')
const releaseLane = query('lease/release_lane')

/** How long a silent owner has its lanes: a dead one is replaced within this and a tick. */
export const DEFAULT_LEASE_MS = 8_000
const TICKS_PER_LEASE = 8

/** How many lanes an actor has where the streams have `laneCount`. */
export const lanesOf = (actor: Actor, laneCount: number): number =>
  actor.lanes?.(laneCount) ?? laneCount

type LeaseOptions = {
  /** Sessions of the worker bear its id as their application name. */
  db: Db
  workerId: string
  actors: readonly Actor[]
  laneCount: number
  leaseMs: number
  log: Log
  /** Runs a lane until the grant's signal; rejects only where the process must end. */
  run: (actor: Actor, grant: Grant) => Promise<void>
  /** Leases could not be renewed. */
  onFailure?: (error: unknown) => void
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
  const { db, actors, laneCount } = options
  for (const actor of actors) await ensureLanes(db, [actor.name, lanesOf(actor, laneCount)])
  const leases = new WorkerLeases(options)
  await leases.begin()
  return leases
}

class WorkerLeases implements Leases {
  readonly failed: Promise<never>
  private readonly options: LeaseOptions
  private readonly fail: (error: unknown) => void
  private readonly held = new Map<string, Held>()
  /** Lanes whose lease waits to be renewed. */
  private readonly renewing = new Set<string>()
  private timer: NodeJS.Timeout | undefined
  private ticking: Promise<void> = Promise.resolve()
  private isStopped = false

  constructor(options: LeaseOptions) {
    this.options = options
    const failed = Promise.withResolvers<never>()
    this.failed = failed.promise
    this.fail = failed.reject
    failed.promise.catch(() => {})
  }

  async begin(): Promise<void> {
    const everyMs = Math.max(50, Math.floor(this.options.leaseMs / TICKS_PER_LEASE))
    this.timer = setInterval(() => this.guardedTick(), everyMs)
    await this.guardedTick()
  }

  async stop(): Promise<void> {
    const { db, workerId, log } = this.options
    this.isStopped = true
    clearInterval(this.timer)
    await this.ticking
    await Promise.all(
      [...this.held.values()].map((lane) =>
        this.giveBack(lane).catch((error) => log.warn({ err: error }, 'failed to release lane')),
      ),
    )
    await forgetWorker(db, [workerId]).catch((error) =>
      log.warn({ err: error }, 'failed to deregister worker'),
    )
  }

  private guardedTick(): Promise<void> {
    this.ticking = this.ticking.then(async () => {
      if (this.isStopped) return
      await this.tick().catch((error) => {
        this.options.log.warn({ err: error }, 'failed to renew leases')
        this.options.onFailure?.(error)
      })
    })
    return this.ticking
  }

  private async tick(): Promise<void> {
    const { db, workerId, actors, leaseMs, log } = this.options
    const names = actors.map((actor) => actor.name)
    await noteHistory(db, historyOf(db))
    await beatWorker(db, [workerId, names])
    // Before anything that could wait for a row: a lane of ours may be waiting for a lost owner.
    const ended = await endLostOwners(db, [workerId, names, leaseMs])
    if (ended.length > 0) log.warn({ sessions: ended.length }, 'ended sessions of lost owners')
    const mine = await listLanes(db, [workerId])
    for (const own of mine) this.renew(own)
    const epochs = new Map(mine.map((row) => [`${row.actor}/${row.lane}`, row.epoch]))
    for (const [key, lane] of this.held) {
      if (epochs.get(key) !== lane.grant.epoch) lane.stop.abort()
    }
    // Owned but not run: its run ended by itself (fenced), or was still draining when it came back.
    for (const { actor, lane, epoch } of mine) {
      if (this.held.has(`${actor}/${lane}`)) continue
      await releaseLane(db, [workerId, actor, lane, epoch])
    }
    const workers = new Map(
      (await countWorkers(db, [leaseMs])).map((row) => [row.actor, row.workers]),
    )
    for (const actor of actors) await this.balance(actor, workers.get(actor.name) ?? 1)
  }

  /**
   * Not waited for: a commit of the lane may take long, and no other process takes the lane meanwhile. Each by itself:
   * one statement for all would hold the rows of some while it waits for that of another, and stop them too.
   */
  private renew({ actor, lane }: OwnLane): void {
    const { db, workerId, leaseMs, log } = this.options
    const key = `${actor}/${lane}`
    if (this.renewing.has(key)) return
    this.renewing.add(key)
    renewLease(db, [workerId, leaseMs, actor, lane])
      .catch((error) => log.warn({ actor, lane, err: error }, 'failed to renew lease'))
      .finally(() => this.renewing.delete(key))
  }

  /** Gives back what is more than this process's share of an actor's lanes, takes what is less. */
  private async balance(actor: Actor, workers: number): Promise<void> {
    const { db, workerId, laneCount, leaseMs } = this.options
    const lanes = lanesOf(actor, laneCount)
    const share = Math.ceil(lanes / Math.max(1, workers))
    const own = [...this.held.values()].filter((lane) => lane.actor === actor)
    for (const surplus of own.slice(share)) await this.giveBack(surplus)
    for (let count = own.length; count < share; count++) {
      const [claimed] = await claimLane(db, [workerId, leaseMs, actor.name, lanes])
      if (claimed === undefined || this.held.has(`${actor.name}/${claimed.lane}`)) return
      this.take(actor, claimed.lane, claimed.epoch)
    }
  }

  private take(actor: Actor, lane: number, epoch: number): void {
    const stop = new AbortController()
    const grant: Grant = { lane, epoch, signal: stop.signal }
    const key = `${actor.name}/${lane}`
    this.options.log.info({ actor: actor.name, lane, epoch }, 'acquired lane')
    const finished = this.options
      .run(actor, grant)
      .catch(this.fail)
      .finally(() => {
        if (this.held.get(key)?.grant === grant) this.held.delete(key)
      })
    this.held.set(key, { actor, grant, stop, finished })
  }

  private async giveBack({ actor, grant, stop, finished }: Held): Promise<void> {
    const { db, workerId, log } = this.options
    stop.abort()
    await finished
    await releaseLane(db, [workerId, actor.name, grant.lane, grant.epoch])
    log.info({ actor: actor.name, lane: grant.lane }, 'released lane')
  }
}
