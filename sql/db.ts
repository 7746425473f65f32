/**
 * The connection pool to PostgreSQL, and the classes of its errors that may be retried.
 *
 * int8 comes out as canonical Int64 (number when safe, else bigint): never through a double.
 *
 * Decision: docs/decisions/0016-plain-pg.md
 */
import type { Socket } from 'node:net'
import pg from 'pg'
import { Client } from './driver/client.ts'
import { isLostConnection, isSocketError, sqlCode } from './driver/connection-error.ts'
import { directUrlOf, isPooled, pooledConfig, type Settings } from './driver/pooler.ts'
import type { Queryable } from './driver/queryable.ts'
import { type History, historyAt, type Sighting } from './history.ts'
import { query } from './query.ts'
import { sessionName } from './schema/version.ts'

export type Db = pg.Pool
export type Connection = pg.PoolClient
const INT8 = 20
const INT4_ARRAY = 1007

const PLAIN_ARRAY = /^\{[-,\d]*\}$/

/** Five times as fast as reading it letter by letter; arrays with nulls or bounds are left to `parse`. */
const int4ArrayParser =
  (parse: (text: string) => unknown) =>
  (text: string): unknown =>
    PLAIN_ARRAY.test(text) ? JSON.parse(`[${text.slice(1, -1)}]`) : parse(text)

/** Canonical Int64. */
function parseInt8(text: string): number | bigint {
  const near = Number(text)
  return Number.isSafeInteger(near) ? near : BigInt(text)
}

const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => {
    if (oid === INT8 && format !== 'binary') return parseInt8
    const parse = pg.types.getTypeParser(oid, format as 'text')
    return oid === INT4_ARRAY && format !== 'binary' ? int4ArrayParser(parse) : parse
  },
} as pg.CustomTypesConfig

type DbOptions = {
  max?: number
  /** Connections that stay open, however long they are idle. */
  min?: number
  /** Shown in pg_stat_activity, with the number of the schema (schema/version.ts). */
  applicationName?: string
  /** Milliseconds after which the server cancels a statement; 0 or absent: never. */
  statementTimeoutMs?: number
  /** Milliseconds for a new connection. */
  connectMs?: number
  /**
   * Milliseconds after which the server drops a client that does not read an answer; absent: never while its machine is
   * reachable, and after a quarter of an hour if it is not. Not for deliberately slow readers.
   */
  takesWithinMs?: number
  /** Milliseconds that an idle connection stays open, with its cached plans. */
  idleTimeoutMs?: number
  /**
   * Statements are sent without waiting for the answers to those before, where the caller does not wait
   * either; each fails by itself, and in a transaction all that follow one that failed.
   */
  isPipelined?: boolean
  /** Settings of every session, after those of the URL; through a pooler, of every transaction. */
  settings?: Settings
}

/**
 * TCP keep-alive of the server: seconds idle, seconds between probes, and their count. A client whose machine vanished
 * loses its locks within a minute, instead of the two hours of most hosts.
 */
const KEEPALIVES = {
  tcp_keepalives_idle: 30,
  tcp_keepalives_interval: 10,
  tcp_keepalives_count: 3,
}

/**
 * Where chunks are compressed, a statement that changes rows of them unpacks these first, of at most 100,000 tuples:
 * one that needs more is refused, today and whenever it is tried again, and a batch of late swaps may need more.
 * 0: of as many as there are. A build of TimescaleDB that does not know the setting passes over it.
 */
const DECOMPRESSION = { 'timescaledb.max_tuples_decompressed_per_dml_transaction': 0 }

export function connect(databaseUrl: string, options: DbOptions = {}): Db {
  const { takesWithinMs, statementTimeoutMs, settings = {} } = options
  const config = configOf(databaseUrl, options)
  if (isPooled(databaseUrl)) {
    const bound = statementTimeoutMs ? { statement_timeout: statementTimeoutMs } : {}
    const db = open(pooledConfig(config, { ...DECOMPRESSION, ...bound, ...settings }))
    pooledOptions.set(db, options)
    return db
  }
  const taking = takesWithinMs === undefined ? {} : { tcp_user_timeout: takesWithinMs }
  const first = { ...KEEPALIVES, ...DECOMPRESSION, ...taking }
  return open({
    ...config,
    connectionString: withSettings(databaseUrl, first, settings),
    ...(statementTimeoutMs ? { statement_timeout: statementTimeoutMs } : {}),
  })
}

/** Options of pools that go through a pooler, for a session past it. */
const pooledOptions = new WeakMap<Db, DbOptions>()

function configOf(databaseUrl: string, options: DbOptions): pg.PoolConfig {
  return {
    connectionString: databaseUrl,
    max: options.max ?? 10,
    min: options.min ?? 0,
    application_name: sessionName(options.applicationName ?? 'swaptide'),
    connectionTimeoutMillis: options.connectMs ?? 10_000,
    idleTimeoutMillis: options.idleTimeoutMs ?? 30_000,
    keepAlive: true,
    types,
    pipeline: options.isPipelined === true,
  }
}

/** Passed as start-up options: some before the URL's, which therefore win, and some after. */
function withSettings(databaseUrl: string, before: Settings, after: Settings): string {
  const url = new URL(databaseUrl)
  const written = (settings: Settings) =>
    Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)
  const given = url.searchParams.get('options')
  const all = [...written(before), ...(given === null ? [] : [given]), ...written(after)]
  url.searchParams.set('options', all.join(' '))
  return url.href
}

/**
 * A connection with a session of its own, past a pooler: for locks and other state that outlives a transaction. It must
 * be released with `release(true)`, which ends the session.
 */
export async function connectSession(db: Db): Promise<Connection> {
  const databaseUrl = db.options.connectionString ?? ''
  if (!isPooled(databaseUrl)) return db.connect()
  const options = pooledOptions.get(db) ?? {}
  const beside = connect(directUrlOf(databaseUrl), { ...options, max: 1, min: 0 })
  try {
    const connection = await beside.connect()
    connection.once('end', () => void beside.end())
    return connection
  } catch (error) {
    await beside.end()
    throw error
  }
}

/** Runs the work on a connection. One whose work failed is closed, so that the server rolls back whatever was open. */
export async function onConnection<Result>(
  db: Db,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const connection = await db.connect()
  let failure: Error | undefined
  try {
    return await work(connection)
  } catch (error) {
    failure = error as Error
    throw error
  } finally {
    connection.release(failure)
  }
}

/** Runs the work in a transaction of its own. */
export function inTransaction<Result>(
  db: Db,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  return onConnection(db, async (connection) => {
    await connection.query('begin')
    const result = await work(connection)
    await connection.query('commit')
    return result
  })
}

/** A separate pool, of one connection, to the same database: pipelined (see DbOptions). To be ended. */
export function pipelinedBeside(db: Db): Db {
  return open({ ...db.options, min: 0, max: 1, pipeline: true })
}

/** Connections that ended by themselves, or by the server. */
const losses = new WeakMap<Db, number>()

/** How many connections were lost so far: one that is replaced without a word may be one to a server that was not. */
export const lossesOf = (db: Db): number => losses.get(db) ?? 0

/** History of the pool's database as this process knows it. */
export const historyOf = (db: Db): History => historyAt(db.options.connectionString ?? '')

/** A connection is used only after its server's history was checked (history.ts). */
function verify(history: History) {
  const seeServer = query<Sighting>('history/see_server')
  return (client: pg.PoolClient, done: (error?: Error) => void): void => {
    const known = history.known()
    seeServer(client)
      .then(([sighting]) => {
        if (sighting !== undefined) history.see(sighting, known)
      })
      .then(() => done(), done)
  }
}

function open(config: pg.PoolConfig): Db {
  const history = historyAt(config.connectionString ?? '')
  const verified: pg.PoolConfig & { verify: ReturnType<typeof verify> } = {
    Client,
    ...config,
    verify: verify(history),
  }
  const db = new pg.Pool(verified)
  const count = () => losses.set(db, lossesOf(db) + 1)
  // An idle connection that the server ends is replaced on the next use; without a listener the
  // process would end instead.
  db.on('error', count)
  // The same for a connection that is in use but idle: its next statement is refused.
  db.on('connect', (client) => client.on('error', count))
  return db
}

/**
 * Closes a connection at once, with its pending statements: a pipelined one that is merely released waits for all
 * answers first. The server notices within `client_connection_check_interval`.
 */
export function cutOff(connection: Connection): void {
  connection.release(true)
  socketOf(connection)?.destroy()
}

const socketOf = (db: Queryable): Socket | undefined =>
  (db as Partial<{ connection: { stream: Socket } }>).connection?.stream

/** Whether it accepts statements before earlier ones are answered (DbOptions); a pool sends each on any connection. */
export const isPipelined = (db: Queryable): boolean =>
  (db as Partial<{ pipeline: boolean }>).pipeline === true

/**
 * Corks a pipelined connection: the statements that `begin` sends leave in one system call instead of one
 * each. On a pool each statement may use another connection.
 */
export function inOnePiece<Result>(db: Queryable, begin: () => Result): Result {
  const socket = socketOf(db)
  if (socket === undefined) return begin()
  socket.cork()
  try {
    return begin()
  } finally {
    socket.uncork()
  }
}

export { sqlCode } from './driver/connection-error.ts'

/** SQLSTATE classes of transient errors: connection, rollback, locks and resources, shutdown, disk. */
const RETRYABLE_CLASSES = new Set(['08', '40', '53', '55', '57', '58'])
/** A class begins with a digit, but for four; codes of the system, such as EPERM, and statuses of HTTP are none. */
const SQLSTATE = /^(?:\d[\dA-Z]|F0|HV|P0|XX)[\dA-Z]{3}$/

/** Whether the server refused a statement: the error has a SQLSTATE. */
export function isRefusedStatement(error: unknown): boolean {
  return SQLSTATE.test(sqlCode(error) ?? '')
}

/** Whether the same statement may succeed later, the database being as it should. */
export function isRetryable(error: unknown): boolean {
  if (isSocketError(error) || isLostConnection(error)) return true
  return isRefusedStatement(error) && RETRYABLE_CLASSES.has(sqlCode(error)?.slice(0, 2) ?? '')
}

/** A refusal for an earlier statement of the transaction, which failed. */
const TRANSACTION_ABORTED = '25P02'

/**
 * Statements of one transaction, sent without waiting for each other's answers. Resolves when all have; else rejects
 * with the cause: the first failure in their order, not in time, but for those that only report that the transaction
 * is aborted. A part may send a statement after an answer, and so after later parts sent theirs, one of which failed.
 */
export async function allInOrder(statements: readonly Promise<unknown>[]): Promise<void> {
  for (const statement of statements) statement.catch(() => {})
  try {
    for (const statement of statements) await statement
  } catch (first) {
    if (sqlCode(first) !== TRANSACTION_ABORTED) throw first
    const outcomes = await Promise.allSettled(statements)
    const failures = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [outcome.reason] : [],
    )
    throw failures.find((failure) => sqlCode(failure) !== TRANSACTION_ABORTED) ?? first
  }
}
