/**
 * The market's traders against a naive count, for any order and batches: exact while buckets are small, approximate
 * with many wallets; and the same after a recount from the swaps.
 */
import test from 'ava'
import type { Db } from '../../../sql/db.ts'
import { Prng } from '../../../streams/simulator/prng.ts'
import { MarketTraders, recountMarket } from '../../../workers/ranking/market-traders.ts'
import { insertSwaps } from '../../support/api/insert-swaps.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../../support/market/sample-swap.ts'
import { testDatabase } from '../../support/servers/database.ts'

const NEWEST_MS = Date.UTC(2026, 6, 20, 13, 7, 31, 250)
const MINUTE_MS = 60_000
const WIDTHS = [1, 2, 7, 8, 60, 61, 67, 68, 360, 1_440]

type Trade = { timestamp: number; user: { id: number } }

async function freshDatabase(t: { teardown: (end: () => unknown) => void }): Promise<Db> {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  await db.query('insert into slot_span values (0, 1000000000, 0, $1, $1)', [NEWEST_MS])
  return db
}

async function noteAll(db: Db, batches: readonly (readonly Trade[])[]): Promise<void> {
  const connection = await db.connect()
  let market = new MarketTraders()
  for (const [n, batch] of batches.entries()) {
    // Now and then a worker restarts.
    if (n % 7 === 6) market = new MarketTraders()
    await market.write(connection, await market.add(db, batch))
  }
  connection.release()
}

async function counted(db: Db, minutes: number): Promise<number> {
  const { rows } = await db.query('select market_traders($1) as traders', [minutes])
  return rows[0].traders
}

function naive(trades: readonly Trade[], minutes: number): number {
  const from = NEWEST_MS - (NEWEST_MS % MINUTE_MS) - (minutes - 1) * MINUTE_MS
  const recent = trades.filter(({ timestamp }) => timestamp >= from)
  return new Set(recent.map(({ user }) => user.id)).size
}

function batchesOf(prng: Prng, trades: readonly Trade[], size: number): Trade[][] {
  const shuffled = trades
    .map((trade) => ({ trade, place: prng.below(2 ** 30) }))
    .sort((a, b) => a.place - b.place)
    .map(({ trade }) => trade)
  return Array.from({ length: Math.ceil(shuffled.length / size) }, (_, n) =>
    shuffled.slice(n * size, (n + 1) * size),
  )
}

test('few traders are counted exactly, at the edges of minutes and hours', async (t) => {
  const prng = new Prng([1, 8])
  const db = await freshDatabase(t)
  const edges = WIDTHS.flatMap((minutes) => {
    const from = NEWEST_MS - (NEWEST_MS % MINUTE_MS) - (minutes - 1) * MINUTE_MS
    return [from - 1, from, from + 1]
  })
  const trades = Array.from({ length: 900 }, () => {
    const isEdge = prng.chance(0.4)
    const age = Math.floor(26 * 60 * MINUTE_MS * prng.unit() ** 4)
    const timestamp = isEdge ? edges[prng.below(edges.length)]! : NEWEST_MS - age
    return { timestamp, user: { id: prng.below(300) } }
  })
  trades.push({ timestamp: NEWEST_MS, user: { id: 1_000 } })
  await noteAll(db, batchesOf(prng, trades, 25))
  for (const minutes of WIDTHS)
    t.is(await counted(db, minutes), naive(trades, minutes), `${minutes}`)
})

test('estimates many traders, equally for any order and batches', async (t) => {
  const prng = new Prng([2, 8])
  const [one, other] = [await freshDatabase(t), await freshDatabase(t)]
  const trades = Array.from({ length: 30_000 }, () => ({
    timestamp: NEWEST_MS - Math.floor(24 * 60 * MINUTE_MS * prng.unit() ** 3),
    user: { id: prng.below(20_000) },
  }))
  trades.push({ timestamp: NEWEST_MS, user: { id: 30_000 } })
  await noteAll(one, batchesOf(prng, trades, 700))
  await noteAll(other, batchesOf(prng, trades, 3_000))
  for (const minutes of WIDTHS) {
    const found = await counted(one, minutes)
    const real = naive(trades, minutes)
    t.is(await counted(other, minutes), found)
    // Four standard errors.
    t.true(Math.abs(found - real) <= 0.125 * real, `${minutes}: ${found}, really ${real}`)
    if (real <= 1_024) t.is(found, real)
  }
})

test('stores a bounded number of traders of a crowd in one batch', async (t) => {
  const full = await freshDatabase(t)
  const crowd = Array.from({ length: 9_000 }, (_, id) => ({ timestamp: NEWEST_MS, user: { id } }))
  await noteAll(full, [crowd])
  const { rows } = await full.query('select count(*) as rows from market_trader group by is_hour')
  t.deepEqual(rows, [{ rows: 1_025 }, { rows: 1_025 }])
})

test('deletes traders of before a day ago, and recounts the same rows from the swaps', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  const swaps = Array.from({ length: 200 }, (_, n) =>
    sampleSwap({
      signature: signatureOf(n),
      slot: 100_000 - n * 500,
      timestamp: NEWEST_MS - n * 9 * MINUTE_MS,
      tokenAddress: mint(0),
      pairAddress: pair(0),
      user: trader(n % 150),
    }),
  )
  await insertSwaps(db, swaps)
  const ids = await db.query<{ id: number; user: string }>(
    'select id, address as "user" from wallet',
  )
  const idOf = new Map(ids.rows.map((row) => [row.user, row.id]))
  const trades = swaps.map(({ timestamp, user }) => ({ timestamp, user: { id: idOf.get(user)! } }))
  // In the order of time: the first are of yesterday and no longer there at the end.
  await noteAll(db, [trades.slice(100), trades.slice(0, 100)])
  const rowsOf = async () =>
    (await db.query('select * from market_trader order by 1, 2, 3')).rows as object[]
  const stored = await rowsOf()
  const storedFromMs = NEWEST_MS - (NEWEST_MS % 3_600_000) - 25 * 3_600_000
  const least = await db.query('select min(bucket_ms) as least from market_trader')
  t.true(least.rows[0].least >= storedFromMs)
  for (const minutes of WIDTHS) t.is(await counted(db, minutes), naive(trades, minutes))
  await db.query('delete from market_trader where wallet % 3 = 0')
  await db.query('insert into market_trader values (true, $1, 5)', [storedFromMs])
  const connection = await db.connect()
  await recountMarket(connection)
  connection.release()
  t.deepEqual(await rowsOf(), stored)
})

test('before the first swap there are no traders', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  t.is(await counted(db, 60), 0)
})

test('a clock that is hours ahead deletes no bucket of the last day, and its trades do not count', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  const nowMs = Date.now()
  const tradesAt = (...ages: number[]): Trade[] =>
    ages.map((age, id) => ({ timestamp: nowMs - age * MINUTE_MS, user: { id: id + 1 } }))
  await noteAll(db, [tradesAt(0, 30, 90, 1_380), tradesAt(-5, -9, -180, -2_000).map(ofAnother)])
  await db.query('insert into slot_span values (0, 1000000000, 0, $1, $2)', [
    nowMs,
    nowMs + 2_000 * MINUTE_MS,
  ])
  // The ages lie at no edge: the clock may advance by a minute or two.
  t.deepEqual(
    await Promise.all([20, 60, 120, 1_430].map((minutes) => counted(db, minutes))),
    [1, 2, 3, 4],
  )
})

const ofAnother = ({ timestamp, user }: Trade): Trade => ({
  timestamp,
  user: { id: user.id + 100 },
})
