/**
 * A process that works on jobs: takes them from Redis as they are asked for or scheduled, and runs their
 * function. Any number of such processes share the work; one that is lost loses nothing, because its jobs
 * are taken up again by another.
 */
import type { Registry } from 'prom-client'
import type { Log } from '../../domain/log.ts'
import { connect, historyOf } from '../../sql/db.ts'
import { NOTE_EVERY_MS, noteHistory } from '../../sql/note-history.ts'
import { workOnJobs } from '../../streams/jobs/bullmq-worker.ts'
import { JOB_NAMES, JOBS, type JobName, loggedPayload } from '../../streams/jobs/job.ts'
import type { BalanceProvider } from '../../streams/solana/balances.ts'
import { prepareBackfills } from './chart-backfill.ts'
import { JOB_FUNCTIONS } from './functions.ts'
import type { JobDeps, JobFunctions, StreamAccess } from './job-function.ts'
import { createJobTimer } from './metrics.ts'
import type { Retention } from './retention.ts'

export type JobsOptions = {
  databaseUrl: string
  redisUrl: string
  prefix: string
  log: Log
  functions?: JobFunctions
  /** Absent: nothing is reconciled. */
  balances?: BalanceProvider
  /** Absent: everything is kept. */
  retention?: Retention
  /** Absent: this process replays nothing. */
  streams?: StreamAccess
  /** Milliseconds after which the jobs of a lost process are taken up by another. */
  lockMs?: number
  scheduleCheckMs?: number
  /** Absent: nothing is measured. */
  metrics?: Registry
}

export type RunningJobs = {
  names: readonly JobName[]
  /** Resolves when the first chart takes as long as later ones. */
  prepared: Promise<void>
  stop(): Promise<void>
}

/** No statement of a job may run longer, in milliseconds. */
const STATEMENT_BOUND_MS = 10 * 60_000
/**
 * The makers of rankings and screens hold a lock of their session: where their machine vanishes while the server
 * answers, nobody else could make any until TCP gave up.
 */
const TAKES_WITHIN_MS = 60_000
/** A connection that knows a year of chunks answers at once; one that does not takes a second to learn them. */
const IDLE_BOUND_MS = 10 * 60_000

export function startJobs(options: JobsOptions): RunningJobs {
  const { databaseUrl, functions = JOB_FUNCTIONS, log, ...rest } = options
  const { balances, retention, streams, metrics, ...queueing } = rest
  const timeJob = metrics && createJobTimer(metrics)
  const names = JOB_NAMES.filter(
    (name) => functions[name] !== undefined && (name !== 'replay' || streams !== undefined),
  )
  const db = connect(databaseUrl, {
    max: names.reduce((sum, name) => sum + JOBS[name].concurrency, 2),
    applicationName: 'swaptide jobs',
    statementTimeoutMs: STATEMENT_BOUND_MS,
    idleTimeoutMs: IDLE_BOUND_MS,
    takesWithinMs: TAKES_WITHIN_MS,
    min: 1,
  })
  const history = historyOf(db)
  const forget = history.onLost((lost) =>
    log.error({ err: lost }, 'stopped every job: the database lost its history'),
  )
  // Errors are ignored here: the jobs themselves report a database that is away.
  const noting = setInterval(() => noteHistory(db, history).catch(() => {}), NOTE_EVERY_MS)
  const fillsCharts = functions['chart-backfill'] !== undefined
  const prepared = (fillsCharts ? prepareBackfills(db) : Promise.resolve()).catch(
    (err: unknown) => {
      log.warn({ err }, 'the first chart will take longer')
    },
  )
  const deps: JobDeps = {
    db,
    log,
    ...(balances ? { balances } : {}),
    ...(retention ? { retention } : {}),
    ...(streams ? { streams } : {}),
  }
  const working = workOnJobs({
    ...queueing,
    log,
    names,
    async run(name, payload, signal, run) {
      const work = functions[name] as (...given: unknown[]) => Promise<void>
      const startedAt = performance.now()
      const done = () => work(payload, deps, signal, run)
      await (timeJob === undefined ? done() : timeJob(name, done))
      const durationMs = Math.round(performance.now() - startedAt)
      log.info({ job: name, payload: loggedPayload(payload), durationMs }, 'completed job')
    },
  })
  return {
    names,
    prepared,
    async stop() {
      await working.stop()
      await prepared
      clearInterval(noting)
      forget()
      await db.end()
    },
  }
}
