/**
 * Every function of the room of stored swaps answers alike, whatever part of the swaps is sealed: the same random calls on a
 * database that seals nothing and on one that sealed random runs of slots, thawed some, and stored late swaps afterwards.
 */
import test, { type ExecutionContext } from 'ava'
import type { Swap } from '../../../domain/events/swap.ts'
import { sealSlots } from '../../../history/sealing/seal.ts'
import { thawSlots } from '../../../history/sealing/thaw.ts'
import { type Connection, type Db, onConnection } from '../../../sql/db.ts'
import { Prng } from '../../../streams/simulator/prng.ts'
import { insertLedger } from '../../support/api/insert-ledger.ts'
import { insertSwaps } from '../../support/api/insert-swaps.ts'
import type { Market } from '../../support/history/random-call.ts'
import { READS, WRITES } from '../../support/history/room.ts'
import { randomMarket } from '../../support/market/random-market.ts'
import { freshSeed, requestedSeed } from '../../support/seed.ts'
import { testDatabase } from '../../support/servers/database.ts'

const SEED = requestedSeed() ?? freshSeed()
const SWAPS = 1_500
const CALLS = 12
const LANE = 0

async function storedMarket(t: ExecutionContext, swaps: readonly Swap[]): Promise<Db> {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  await insertSwaps(db, swaps, { hasPrices: true })
  await insertLedger(db, [])
  return db
}

/** Runs of slots, each sealed or not. */
function* runsToSeal(prng: Prng, slots: readonly number[]) {
  const distinct = [...new Set(slots)].sort((a, b) => a - b)
  for (let from = 0; from < distinct.length; ) {
    const count = 1 + prng.below(120)
    const run = distinct.slice(from, from + count)
    if (prng.chance(0.6)) yield { low: run[0]!, high: run.at(-1)! }
    from += count
  }
}

async function inTransaction<Result>(
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
function alike(value: unknown): unknown {
  const text = (each: unknown): string =>
    JSON.stringify(each, (_, inner) => (typeof inner === 'bigint' ? `${inner}n` : inner)) ?? ''
  return Array.isArray(value) ? value.map(text).sort() : text(value)
}

test(`functions of stored swaps answer alike with sealed swaps, seed ${SEED}`, async (t) => {
  const prng = new Prng([SEED, 97])
  const swaps = randomMarket(prng, SWAPS)
  const [early, late] = [swaps.filter((_, n) => n % 20 !== 7), swaps.filter((_, n) => n % 20 === 7)]
  const [plain, sealed] = await Promise.all([storedMarket(t, early), storedMarket(t, early)])
  await onConnection(sealed, async (connection) => {
    const slots = early.map(({ slot }) => slot)
    let count = 0
    for (const run of runsToSeal(prng, slots)) {
      const sealing = await sealSlots(connection, run, 50)
      if (sealing.outcome === 'sealed') count += sealing.rows
    }
    t.log(`${count} of ${early.length} swaps are sealed`)
    t.true(count > 300)
    await connection.query('begin')
    await thawSlots(
      connection,
      LANE,
      Array.from({ length: 20 }, () => slots[prng.below(slots.length)]!),
    )
    await connection.query('commit')
  })
  for (const db of [plain, sealed]) await insertSwaps(db, late, { hasPrices: true })
  const ids = async (db: Db, table: string, column: string) =>
    (await db.query(`select id, ${column} as base58 from ${table} order by id`)).rows
  const market: Market = {
    swaps,
    pools: await ids(plain, 'pool', 'pair_address'),
    tokens: await ids(plain, 'token', 'address'),
    wallets: await ids(plain, 'wallet', 'address'),
    minutes: (
      await plain.query(
        `select pool_id, bucket_ms::double precision as bucket_ms, first_slot::double precision as first_slot,
             last_slot::double precision as last_slot from candle_1m order by 1, 2`,
      )
    ).rows,
  }
  t.deepEqual(await ids(sealed, 'pool', 'pair_address'), market.pools)
  for (const [name, read] of Object.entries(READS)) {
    for (let n = 0; n < CALLS; n++) {
      const call = read(prng, market)
      const [expected, found] = await Promise.all([
        inTransaction(plain, call.run),
        n % 2 === 0 && !call.isOnConnection ? call.run(sealed) : inTransaction(sealed, call.run),
      ])
      t.deepEqual(alike(found), alike(expected), `${name} ${JSON.stringify(call.wanted)}`)
    }
  }
  for (const [name, write] of Object.entries(WRITES)) {
    for (let n = 0; n < CALLS; n++) {
      const call = write(prng, market)
      const written = async (connection: Connection) => {
        const returned = await call.run(connection)
        const { rows } = await connection.query(
          `select row_to_json(t)::text as row from ${call.table} as t`,
        )
        return [JSON.stringify(returned ?? null), ...rows.map(({ row }) => row as string)]
      }
      const [expected, found] = await Promise.all([
        inTransaction(plain, written),
        inTransaction(sealed, written),
      ])
      t.deepEqual(alike(found), alike(expected), `${name} ${JSON.stringify(call.wanted)}`)
    }
  }
})
