/**
 * Database access of the API: one connection per request, until its deadline.
 *
 * No query outlives its request. The server cancels a statement at the deadline itself (statement_timeout); when the
 * client disconnects earlier, its connection is closed and the server notices within
 * `client_connection_check_interval`.
 *
 * Independent statements of a request are pipelined, which saves a round trip each.
 *
 * Plans use indexes only, because every list has one with its order; sql/plans.ts chooses between cached plans and
 * plans for the given values. Through a pooler the whole request is a transaction, which has the settings, and no plan is
 * cached.
 */
import { type Connection, connect, cutOff, type Db, historyOf } from '../../../sql/db.ts'
import { pooledClientOf, type Settings } from '../../../sql/driver/pooler.ts'
import type { History } from '../../../sql/history.ts'
import { noteHistory } from '../../../sql/note-history.ts'
import { choosePlans } from '../../../sql/plans.ts'
import { ApiError } from '../error.ts'
import { ConnectionQueue, type QueueSlot } from './connection-queue.ts'

const SETTINGS = {
  plan_cache_mode: 'force_custom_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  jit: 'off',
  client_connection_check_interval: '500ms',
}
/** Connections of one API process. */
const CONNECTIONS_MAX = 10
/** Idle timeout of a connection. It has cached plans, which a new one would have to make under the load of a peak. */
const IDLE_MS = 600_000
/** Milliseconds that a request waits for a connection, at most; longer where its deadline is far: this share of it. */
const CONNECT_WAIT_MS = 2_000
const CONNECT_WAIT_SHARE = 0.4
/** Share of that wait after which the queue counts as saturated: more requests arrive than are served. */
const ORDERLY_SHARE = 0.5
/** Some million rows; a request may wait for its connection before, and be slower than that for want of CPU. */
const WALK_MS = 1_000
const WALKS_A_DEADLINE = 4

export type Reader = {
  /** Milliseconds that a list looks for what fits before it ends a page short. */
  readonly walkMs: number
  /** Runs the work on a connection of its own until the signal is aborted. */
  run<Result>(signal: AbortSignal, work: (db: Connection) => Promise<Result>): Promise<Result>
  end(): Promise<void>
  /** History of the database as this process knows it. */
  readonly history: History
}

type ReaderOptions = {
  deadlineMs: number
  connectionsMax?: number
  /** Absent: a second, or a quarter of the deadline. */
  walkMs?: number | undefined
  /** US dollars per SOL that sol_usd() returns before any swap sets a rate. */
  solUsdFallback?: number | undefined
}

export function createReader(databaseUrl: string, options: ReaderOptions): Reader {
  const { deadlineMs, connectionsMax = CONNECTIONS_MAX } = options
  const { walkMs = Math.min(WALK_MS, deadlineMs / WALKS_A_DEADLINE) } = options
  const pool = connect(databaseUrl, {
    settings: settingsOf(options.solUsdFallback),
    max: connectionsMax,
    applicationName: 'swaptide api',
    statementTimeoutMs: deadlineMs,
    idleTimeoutMs: IDLE_MS,
    isPipelined: true,
  })
  const waitMs = Math.min(deadlineMs, Math.max(CONNECT_WAIT_MS, CONNECT_WAIT_SHARE * deadlineMs))
  const queue = new ConnectionQueue({
    connections: connectionsMax,
    orderlyMs: ORDERLY_SHARE * waitMs,
  })
  return {
    walkMs,
    run: (signal, work) => runOn({ pool, queue, waitMs }, signal, work),
    end: () => pool.end(),
    history: historyOf(pool),
  }
}

function settingsOf(solUsdFallback: number | undefined): Settings {
  if (solUsdFallback === undefined) return SETTINGS
  return { ...SETTINGS, 'swaptide.sol_usd_fallback': solUsdFallback.toFixed(9) }
}

type Connections = { pool: Db; queue: ConnectionQueue; waitMs: number }
type Held = { connection: Connection; queueSlot: QueueSlot }

async function runOn<Result>(
  connections: Connections,
  signal: AbortSignal,
  work: (db: Connection) => Promise<Result>,
): Promise<Result> {
  const { pool } = connections
  const { connection, queueSlot } = await acquire(connections, signal)
  const aborted = Promise.withResolvers<never>()
  let isCut = false
  const cut = (): void => {
    isCut = true
    cutOff(connection)
    aborted.reject(signal.reason)
  }
  signal.addEventListener('abort', cut, { once: true })
  // A lost connection is reported by the client itself, and the running statement fails with it.
  const onLoss = (): void => {}
  connection.on('error', onLoss)
  try {
    return await Promise.race([planned(connection, historyOf(pool), work), aborted.promise])
  } finally {
    signal.removeEventListener('abort', cut)
    connection.off('error', onLoss)
    if (!isCut) connection.release()
    queueSlot.end()
  }
}

async function planned<Result>(
  connection: Connection,
  history: History,
  work: (db: Connection) => Promise<Result>,
): Promise<Result> {
  const pooled = pooledClientOf(connection)
  if (pooled === undefined) {
    await Promise.all([choosePlans(connection), noteHistory(connection, history)])
    return work(connection)
  }
  await noteHistory(connection, history)
  await pooled.enclose()
  try {
    return await work(connection)
  } finally {
    await pooled.disclose().catch(() => {})
  }
}

async function acquire({ pool, queue, waitMs }: Connections, signal: AbortSignal): Promise<Held> {
  signal.throwIfAborted()
  const queueSlot = queue.take()
  const wanted =
    queueSlot.comes === undefined ? pool.connect() : queueSlot.comes.then(() => pool.connect())
  const late = Promise.withResolvers<never>()
  const giveUp = (why: unknown): void => {
    late.reject(why)
    // The connection may still be granted: it is then released to the next request.
    wanted.then(
      (connection) => connection.release(),
      () => {},
    )
  }
  const leave = (): void => giveUp(signal.reason)
  const busy = setTimeout(() => {
    giveUp(new ApiError('UNAVAILABLE', 'no connection to the database is free: try again'))
  }, waitMs)
  signal.addEventListener('abort', leave, { once: true })
  try {
    return { connection: await Promise.race([wanted, late.promise]), queueSlot }
  } catch (error) {
    queueSlot.end()
    throw error
  } finally {
    clearTimeout(busy)
    signal.removeEventListener('abort', leave)
  }
}
