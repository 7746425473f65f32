/** A lane's cache of buckets of traders: bounded by the wallets that they hold, not by their number. */
import test from 'ava'
import { MINUTE_MS } from '../../../domain/time/time-bucket.ts'
import type { Db } from '../../../sql/db.ts'
import {
  type BucketKey,
  encodeBuckets,
  TraderBucketCache,
  writeBuckets,
} from '../../../workers/ranking/store.ts'
import { addTrade } from '../../../workers/ranking/traders.ts'
import { testDatabase } from '../../support/servers/database.ts'

/** Room for about a hundred buckets of few traders, in each of two generations. */
const BYTES_MAX = 64_000
const HOUR_MS = 3_600_000

/** The hour of a token, in which so many wallets more buy and sell. */
async function trade(
  db: Db,
  buckets: TraderBucketCache,
  tokenId: number,
  wallets: number,
): Promise<BucketKey> {
  const key = buckets.keyOf(tokenId, HOUR_MS)
  buckets.rotate()
  await buckets.load(db, [key])
  const bucket = buckets.get(key)!
  let grown = 0
  for (let wallet = 0; wallet < 2 * wallets; wallet++) {
    if (addTrade(bucket, wallet % 2 === 0, wallet)) grown += 1
  }
  buckets.noteGrowth(grown)
  return key
}

async function heldOf(db: Db, count: number, wallets: number): Promise<number> {
  const buckets = new TraderBucketCache(true, BYTES_MAX)
  const keys: BucketKey[] = []
  for (let tokenId = 1; tokenId <= count; tokenId++) {
    keys.push(await trade(db, buckets, tokenId, wallets))
  }
  return keys.filter((key) => buckets.get(key) !== undefined).length
}

test('fewer buckets are held the more wallets they have', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  const [light, heavy] = [await heldOf(db, 400, 1), await heldOf(db, 40, 500)]
  t.true(light > 90 && light <= 210, `${light}`)
  t.true(heavy >= 3 && heavy <= 6, `${heavy}`)
})

test('never evicts a bucket that every batch touches, and counts its growth toward the bound', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  const buckets = new TraderBucketCache(true, BYTES_MAX)
  const key = await trade(db, buckets, 1, 1)
  const own = buckets.get(key)
  for (let tokenId = 2; tokenId < 400; tokenId++) {
    await trade(db, buckets, tokenId, 1)
    t.is(buckets.get(key), own)
  }
  const before = buckets.keyOf(2, HOUR_MS)
  await buckets.load(db, [before])
  for (const wallets of [2_000, 4_000]) await trade(db, buckets, 1, wallets)
  buckets.rotate()
  t.is(buckets.get(before), undefined)
})

test('round-trips ids and times of every size', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  const tokenIds = [1, 2 ** 27 - 1, 2 ** 27, 2 ** 28 + 5, 2 ** 31 - 1]
  const minutes = [
    Date.UTC(2026, 6, 20, 13, 7),
    Date.UTC(2026, 6, 20, 13, 8),
    // The last minute below 2^25, and the first that is not.
    Date.UTC(2033, 9, 18, 4, 31),
    Date.UTC(2033, 9, 18, 4, 32),
    Date.UTC(2034, 0, 1),
    Date.UTC(2100, 0, 1),
    // The greatest that is let in.
    Math.floor(Number.MAX_SAFE_INTEGER / MINUTE_MS) * MINUTE_MS,
  ]
  const buckets = tokenIds.flatMap((tokenId) => minutes.map((bucketMs) => ({ tokenId, bucketMs })))
  const expected = buckets.map(({ tokenId, bucketMs }, wallet) => ({
    ...{ tokenId, bucketMs, isHour: false, buyCount: 1, sellCount: 0 },
    buyers: { wallets: new Set([wallet]), below: undefined },
    sellers: { wallets: new Set(), below: undefined },
  }))

  const filled = new TraderBucketCache(false)
  const keys = buckets.map(({ tokenId, bucketMs }) => filled.keyOf(tokenId, bucketMs + 900))
  t.is(new Set(keys).size, buckets.length)
  await filled.load(db, keys)
  const found = keys.map((key) => filled.get(key)!)
  for (const [wallet, bucket] of found.entries()) addTrade(bucket, true, wallet)
  t.deepEqual(found as unknown, expected)
  const connection = await db.connect()
  await connection.query('begin')
  await writeBuckets(connection, encodeBuckets(found))
  await connection.query('commit')
  connection.release()

  const loaded = new TraderBucketCache(false)
  await loaded.load(db, keys)
  t.deepEqual(keys.map((key) => loaded.get(key)) as unknown, expected)
})
