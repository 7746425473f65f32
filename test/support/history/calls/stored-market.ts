/** A market in a database of its own, and calls of functions of stored swaps on it. */
import type { ExecutionContext } from 'ava'
import type { Swap } from '../../../../domain/events/swap.ts'
import { type Connection, type Db, onConnection } from '../../../../sql/db.ts'
import { insertLedger } from '../../api/insert-ledger.ts'
import { insertSwaps } from '../../api/insert-swaps.ts'
import { testDatabase } from '../../servers/database.ts'
import type { Market } from './random-call.ts'

export async function storedMarket(t: ExecutionContext, swaps: readonly Swap[]): Promise<Db> {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  await insertSwaps(db, swaps, { hasPrices: true })
  await insertLedger(db, [])
  return db
}

/** Values that calls are drawn from. */
export async function marketOf(db: Db, swaps: readonly Swap[]): Promise<Market> {
  const ids = async (table: string, column: string) =>
    (await db.query(`select id, ${column} as base58 from ${table} order by id`)).rows
  const { rows: minutes } = await db.query(
    `select pool_id, bucket_ms::double precision as bucket_ms, first_slot::double precision as first_slot,
       last_slot::double precision as last_slot
     from candle_1m order by 1, 2`,
  )
  return {
    swaps,
    pools: await ids('pool', 'pair_address'),
    tokens: await ids('token', 'address'),
    wallets: await ids('wallet', 'address'),
    minutes,
  }
}

/** In a snapshot that is rolled back. */
export function inTransaction<Result>(
  db: Db,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  return onConnection(db, async (connection) => {
    await connection.query('begin isolation level repeatable read')
    try {
      return await work(connection)
    } finally {
      await connection.query('rollback')
    }
  })
}

/** In an order of their own: a function that promises an order returns rows of the same order values. */
export function alike(value: unknown): unknown {
  const text = (each: unknown): string =>
    JSON.stringify(each, (_, inner) => (typeof inner === 'bigint' ? `${inner}n` : inner)) ?? ''
  return Array.isArray(value) ? value.map(text).sort() : text(value)
}
