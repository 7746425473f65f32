/**
 * A worker process: claims lanes of its actors, runs them, and trims from SWAP the messages that every lane has read.
 * Stopping drains: folded batches are committed, and commits published.
 */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Registry } from 'prom-client'
import type { Log } from '../domain/log.ts'
import { connect, type Db, historyOf } from '../sql/db.ts'
import { sessionName } from '../sql/schema/version.ts'
import { sendCommitFailure } from '../streams/nats/commit-failures.ts'
import { connectJetStream } from '../streams/nats/jetstream.ts'
import { ensureTopology } from '../streams/nats/topology.ts'
import { ACTOR_NAMES, ACTORS } from './actors.ts'
import { createWorkerMetrics } from './metrics.ts'
import type { LaneDeps, StepHook } from './runtime/actor.ts'
import { isCommitRefused } from './runtime/backoff.ts'
import { runActor } from './runtime/lane/lane-runner.ts'
import { DEFAULT_LEASE_MS, holdLeases, type Leases } from './runtime/lane/lease.ts'
import { CpuShortage } from './runtime/pacing/cpu-pressure.ts'
import { keepTrimmed } from './runtime/swap-retention.ts'

type WorkerOptions = {
  databaseUrl: string
  natsUrl: string
  prefix: string
  /** Names of actors; see ACTOR_NAMES. */
  actors: readonly string[]
  /** Absent: the values that the streams were created with. */
  laneCount?: number | undefined
  replicas?: number | undefined
  swapMaxBytes?: number | undefined
  feedMaxBytes?: number | undefined
  log: Log
  leaseMs?: number
  onStep?: StepHook
  /** How far apart small commits of a lane begin at least; 0: not at all. */
  commitEveryMs?: number
  /** How long a lane waits for the rest of a block, in milliseconds. */
  blockWaitMs?: number
  /** Absent: no metrics are recorded. */
  metrics?: Registry
}

export type Worker = {
  /** Drains and gives every lane back. */
  stop(): Promise<void>
  /** Rejects when the process must end: an assertion failed. */
  failed: Promise<never>
}

/** Starts a worker. Rejects on an unknown actor, or an unreachable server, and closes all connections then. */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const unknown = options.actors.find((name) => !ACTOR_NAMES.includes(name))
  if (unknown !== undefined) {
    throw new Error(`unknown actor "${unknown}": use ${ACTOR_NAMES.join(', ')}`)
  }
  // At most 63 bytes: PostgreSQL cuts the names of sessions there.
  const name = `${hostname().slice(0, 40)}-${process.pid}-${randomUUID().slice(0, 8)}`
  const workerId = sessionName(name)
  const jetStream = await connectJetStream(options.natsUrl, { name: workerId, log: options.log })
  let db: Db | undefined
  const close = async (): Promise<void> => {
    await jetStream.close()
    await db?.end()
  }
  try {
    const topology = await ensureTopology(jetStream, topologyOf(options))
    db = connect(options.databaseUrl, {
      // A commit and a lease that waits for it for each lane of all actors, and some for the maintenance tasks.
      max: topology.laneCount * 4 + 4,
      applicationName: name,
      isPipelined: true,
    })
    const { log } = options
    const forget = historyOf(db).onLost((lost) =>
      log.error({ err: lost }, 'stopped every lane: the database lost its history'),
    )
    const deps = depsOf(options, { db, jetStream, topology })
    const leases = await holdLanes(options, workerId, deps)
    const trimming = keepTrimmed(deps)
    return {
      failed: leases.failed,
      async stop() {
        forget()
        trimming.stop()
        await leases.stop()
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

function topologyOf({ prefix, laneCount, replicas, swapMaxBytes, feedMaxBytes }: WorkerOptions) {
  return { prefix, laneCount, replicas, swapMaxBytes, feedMaxBytes }
}

function depsOf(
  { log, onStep, commitEveryMs, blockWaitMs }: WorkerOptions,
  open: Pick<LaneDeps, 'db' | 'jetStream' | 'topology'>,
): LaneDeps {
  const shortage = new CpuShortage()
  return {
    ...open,
    log,
    isCpuShort: () => shortage.holds(),
    ...(onStep ? { onStep } : {}),
    ...(commitEveryMs === undefined ? {} : { commitEveryMs }),
    ...(blockWaitMs === undefined ? {} : { blockWaitMs }),
  }
}

function holdLanes(options: WorkerOptions, workerId: string, deps: LaneDeps): Promise<Leases> {
  const metrics = options.metrics && createWorkerMetrics(options.metrics)
  return holdLeases({
    db: deps.db,
    workerId,
    actors: ACTORS.filter((actor) => options.actors.includes(actor.name)),
    laneCount: deps.topology.laneCount,
    leaseMs: options.leaseMs ?? DEFAULT_LEASE_MS,
    log: deps.log,
    onFailure: (error) => {
      if (!isCommitRefused(error)) return
      const text = `a worker cannot renew its leases: ${(error as Error).message}`
      sendCommitFailure(deps.jetStream, deps.topology.prefix, text)
    },
    run: (actor, grant) => {
      if (metrics === undefined) return runActor(actor, grant, deps)
      const onStep = metrics.stepsOf(actor.name, options.onStep)
      const onLost = metrics.lostOf(actor.name)
      return metrics.holding(actor.name, () => runActor(actor, grant, { ...deps, onStep, onLost }))
    },
  })
}
