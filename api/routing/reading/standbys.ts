/**
 * Standbys that reads go to while their data is young enough.
 *
 * Law: an age is an upper bound, by the clock of this process only. The end of the primary's log is noted with the time
 * and the position of FEED before it was requested; a standby that has applied the log up to there has everything that
 * was committed by then. One that is away or paused only grows older; when the primary is away, all of them do.
 *
 *   primary   log end  100 @ 0 ms   140 @ 100 ms   190 @ 200 ms
 *   standby   applied        150, seen @ 210 ms   ->   as of 100 ms, at 230 ms of age 130 ms
 *
 * Decision: docs/decisions/0058-reads-from-standbys-by-noted-log-ends.md
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../../../domain/log.ts'
import { connect, type Db, isRetryable, sqlCode } from '../../../sql/db.ts'
import { HistoryLost } from '../../../sql/history.ts'
import { query } from '../../../sql/query.ts'
import type { FeedPosition } from '../../../streams/feed/published-commits.ts'
import { ApiError } from '../error.ts'
import type { Reader } from './reader.ts'

/**
 * To be called on the connection, before the first statement. Result: a position in FEED up to which the standby has all
 * events; undefined on the primary.
 */
export type Begin = () => { position: FeedPosition | undefined } | undefined

export type Standbys = {
  /**
   * Runs the work on a standby, with the age of its data, or else on the primary. `route` names what is read: one that
   * no standby can read is not tried again.
   */
  run<Result>(
    route: string,
    work: (reader: Reader, begin: Begin) => Promise<Result>,
    primary: Reader,
  ): Promise<{ result: Result; ageMs: number }>
  end(): Promise<void>
}

type StandbysOptions = {
  databaseUrl: string
  readUrls: readonly string[]
  /** Milliseconds of age up to which data is served. */
  ageMsMax: number
  openReader: (databaseUrl: string) => Reader
  feedPosition: () => FeedPosition | undefined
  log: Log
}

/** `position` was read before the end was requested: the commits of its events lie before the end. */
type LogEnd = { atMs: number; end: number | bigint; position: FeedPosition | undefined }
type Standby = {
  host: string
  db: Db
  reader: Reader
  /** The end up to which it has everything; undefined: unknown. */
  asOf: LogEnd | undefined
  isUsed: boolean
}

/** Share of the bound after which servers are looked at again, and its bounds in milliseconds. */
const LOOKS_A_BOUND = 10
const LOOK_MS = { min: 10, max: 100 }
const CONNECT_MS_MAX = 1_000
/** Statements that no standby executes: reads of unlogged tables, and writes. */
const REFUSED = new Set(['0A000', '25006'])

const readLogEnd = query<{ log_end: number | bigint }>('standby/read_log_end')
const readReplayed = query<{ replayed: number | bigint | null }>('standby/read_replayed')

/** The data of the standby is older than the bound. */
class TooOld extends Error {}

export function openStandbys(options: StandbysOptions): Standbys {
  return new WatchedStandbys(options)
}

class WatchedStandbys implements Standbys {
  private readonly options: StandbysOptions
  private readonly primary: Db
  private readonly standbys: readonly Standby[]
  private readonly primaryRoutes = new Set<string>()
  private readonly ending = new AbortController()
  private readonly watching: Promise<void>[]
  private logEnds: LogEnd[] = []
  private rotation = 0

  constructor(options: StandbysOptions) {
    this.options = options
    const watched = { max: 1, applicationName: 'swaptide api', connectMs: CONNECT_MS_MAX }
    this.primary = connect(options.databaseUrl, watched)
    this.standbys = options.readUrls.map((url) => ({
      host: new URL(url).host,
      db: connect(url, { ...watched, statementTimeoutMs: CONNECT_MS_MAX }),
      reader: options.openReader(url),
      asOf: undefined,
      isUsed: false,
    }))
    this.watching = [
      this.repeat(() => this.lookAtPrimary()),
      ...this.standbys.map((standby) => this.repeat(() => this.lookAt(standby))),
    ]
  }

  async run<Result>(
    route: string,
    work: (reader: Reader, begin: Begin) => Promise<Result>,
    primary: Reader,
  ): Promise<{ result: Result; ageMs: number }> {
    const standby = this.primaryRoutes.has(route) ? undefined : this.next()
    if (standby !== undefined) {
      let ageMs = 0
      const begin = () => {
        ageMs = this.ageOf(standby)
        if (ageMs > this.options.ageMsMax) throw new TooOld()
        return { position: standby.asOf?.position }
      }
      try {
        return { result: await work(standby.reader, begin), ageMs: Math.ceil(ageMs) }
      } catch (error) {
        if (!this.isForPrimary(route, standby, error)) throw error
      }
    }
    return { result: await work(primary, () => undefined), ageMs: 0 }
  }

  async end(): Promise<void> {
    this.ending.abort()
    await Promise.all(this.watching)
    await Promise.all([
      this.primary.end(),
      ...this.standbys.flatMap(({ db, reader }) => [db.end(), reader.end()]),
    ])
  }

  /** In turns, of those that are young enough. */
  private next(): Standby | undefined {
    const { ageMsMax } = this.options
    const young = this.standbys.filter((standby) => this.ageOf(standby) <= ageMsMax)
    this.rotation = (this.rotation + 1) % Number.MAX_SAFE_INTEGER
    return young[this.rotation % Math.max(1, young.length)]
  }

  private ageOf({ asOf }: Standby): number {
    return asOf === undefined ? Infinity : performance.now() - asOf.atMs
  }

  /** Whether the primary can answer what failed on a standby. */
  private isForPrimary(route: string, standby: Standby, error: unknown): boolean {
    const code = sqlCode(error)
    if (code !== undefined && REFUSED.has(code)) {
      this.primaryRoutes.add(route)
      return true
    }
    if (error instanceof TooOld) return true
    if (error instanceof ApiError) return error.code === 'UNAVAILABLE' || error.isOfAge
    // The bound of a request is the same on the primary.
    if (code === '57014') return false
    if (!isRetryable(error) && !(error instanceof HistoryLost)) return false
    this.leaveOut(standby, error)
    return true
  }

  private async repeat(look: () => Promise<void>): Promise<void> {
    const { signal } = this.ending
    const everyMs = Math.min(
      LOOK_MS.max,
      Math.max(LOOK_MS.min, this.options.ageMsMax / LOOKS_A_BOUND),
    )
    while (!signal.aborted) {
      await look()
      await pause(everyMs, undefined, { signal }).catch(() => {})
    }
  }

  private async lookAtPrimary(): Promise<void> {
    const atMs = performance.now()
    const position = this.options.feedPosition()
    // An error is reported by the requests themselves.
    const [row] = await readLogEnd(this.primary).catch(() => [])
    if (row === undefined) return
    const oldestMs = atMs - this.options.ageMsMax
    this.logEnds = this.logEnds.filter((each) => each.atMs >= oldestMs)
    this.logEnds.push({ atMs, end: row.log_end, position })
  }

  private async lookAt(standby: Standby): Promise<void> {
    const { log, ageMsMax } = this.options
    try {
      const [row] = await readReplayed(standby.db)
      const replayed = row?.replayed ?? null
      if (replayed === null) throw new Error('not a standby: it was promoted, or never was one')
      const newest = this.logEnds.findLast(({ end }) => end <= replayed)
      if (newest !== undefined) standby.asOf = newest
    } catch (error) {
      this.leaveOut(standby, error)
    }
    const isUsed = this.ageOf(standby) <= ageMsMax
    if (isUsed === standby.isUsed) return
    standby.isUsed = isUsed
    if (isUsed) log.info({ standby: standby.host }, 'reading from standby')
    else log.warn({ standby: standby.host }, 'left standby out: its data is too old')
  }

  /** After a restart it may have applied less than it had before. */
  private leaveOut(standby: Standby, error: unknown): void {
    standby.asOf = undefined
    if (!standby.isUsed || this.ending.signal.aborted) return
    standby.isUsed = false
    this.options.log.warn({ standby: standby.host, err: error }, 'left standby out')
  }
}
