/**
 * A job worker: takes requested and scheduled jobs from the Redis queues and runs their functions. Any number of such
 * processes share the work; a lost process loses no job, because another process resumes them.
 */
import type { Registry } from 'prom-client'
import type { NamesProvider } from '../../chain/accounts/names-provider.ts'
import type { BalanceProvider } from '../../chain/accounts/providers.ts'
import type { Log } from '../../domain/log.ts'
import { connect, type Db, historyOf } from '../../sql/db.ts'
import { NOTE_EVERY_MS, noteHistory } from '../../sql/note-history.ts'
import { workOnJobs } from '../../streams/jobs/bullmq-worker.ts'
import { JOB_NAMES, JOBS, type JobName, loggedPayload } from '../../streams/jobs/job.ts'
import type { ImageReader } from '../../streams/outgoing/token-image.ts'
import { followForAWhile, type Watching, watchSandwiches } from '../sandwiches/watch.ts'
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
  /** Absent: wallets are not reconciled. */
  balances?: BalanceProvider
  /** Absent: mints that no event names stay nameless. */
  names?: NamesProvider
  /** Absent: no document of a token is requested. */
  images?: ImageReader
  /** Absent: no record is deleted. */
  retention?: Retention
  /** Undefined: no swap is sealed. */
  sealAfterHours?: number | undefined
  historyDays?: number | undefined
  exportedUntil?: JobDeps['exportedUntil'] | undefined
  /** Absent: this process runs no replays. */
  streams?: StreamAccess
  /** Milliseconds after which the jobs of a lost process are resumed by another. */
  lockMs?: number
  scheduleCheckMs?: number
  /** Absent: no metrics are recorded. */
  metrics?: Registry
}

export type RunningJobs = {
  names: readonly JobName[]
  /** Resolves when connections are warm: the first chart is then filled as fast as later ones. */
  prepared: Promise<void>
  stop(): Promise<void>
}

/** No statement of a job may run longer, in milliseconds. */
const STATEMENT_BOUND_MS = 10 * 60_000
/**
 * The makers of rankings and screens hold a lock of their session: if their machine vanishes while the server sends an
 * answer, no other process could make them until TCP gives up.
 */
const TAKES_WITHIN_MS = 60_000
/** A connection that has loaded a year of chunks answers at once; a new one needs a second to load them. */
const IDLE_BOUND_MS = 10 * 60_000

export function startJobs(options: JobsOptions): RunningJobs {
  const { databaseUrl, functions = JOB_FUNCTIONS, log, ...rest } = options
  const { balances, names: tokenNames, images, retention, streams, metrics, ...others } = rest
  const { sealAfterHours, historyDays, exportedUntil, ...queueing } = others
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
      log.warn({ err }, 'failed to prepare chart backfills; first chart will be slow')
    },
  )
  const deps: JobDeps = {
    db,
    log,
    ...(balances ? { balances } : {}),
    ...(tokenNames ? { names: tokenNames } : {}),
    ...(images ? { images } : {}),
    ...(retention ? { retention } : {}),
    ...(sealAfterHours === undefined ? {} : { sealAfterHours }),
    ...(historyDays === undefined ? {} : { historyDays }),
    ...(exportedUntil ? { exportedUntil } : {}),
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
      const level = JOBS[name].isFrequent ? 'debug' : 'info'
      log[level]({ job: name, payload: loggedPayload(payload), durationMs }, 'completed job')
    },
  })
  const follows = functions.sandwiches === undefined ? undefined : watch(options, db, timeJob)
  return {
    names,
    prepared,
    async stop() {
      await Promise.all([working.stop(), follows?.stop()])
      await prepared
      clearInterval(noting)
      forget()
      await db.end()
    },
  }
}

/** Follows sandwiches whenever it is notified; the job does after a notification that was lost. */
function watch(
  { databaseUrl, log }: JobsOptions,
  db: Db,
  timeJob: ReturnType<typeof createJobTimer> | undefined,
): Watching {
  return watchSandwiches({
    databaseUrl,
    log,
    async follow(signal) {
      let hasFollowed = false
      const run = async () => {
        hasFollowed = await followForAWhile(db, signal)
      }
      await (timeJob === undefined ? run() : timeJob('sandwiches', run))
      return hasFollowed
    },
  })
}
