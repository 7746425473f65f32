/**
 * Takes retracted trades out of the tables of the ranking.
 *
 * Law: a bucket counts the trades that FEED brought and did not take back, so a retracted one is subtracted, once, by
 * the commit that reads it. Which wallets are left cannot be subtracted: the sets are read again from the `swap` table.
 * That may hold swaps that FEED is still to bring; a set that has their wallets already is no different afterwards.
 */
import { bucketOf, HOUR_MS, MINUTE_MS } from '../../domain/time/time-bucket.ts'
import { int4Array, int8Array } from '../../sql/binary/arrays.ts'
import type { Connection, Db } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import type { DecodedTrade } from '../../streams/codec/ranking-decoder.ts'
import type { Buckets } from './store.ts'
import { mixedWallet, type TraderBucket } from './traders.ts'

type TraderRow = { ordinal: number; is_buy: boolean; wallet_id: number }

const listBucketTraders = query<TraderRow>('ranking/list_bucket_traders')
const deleteEmptyMinutes = query('ranking/delete_empty_minutes')
const deleteEmptyHours = query('ranking/delete_empty_hours')
const recomputeStarts = query('ranking/recompute_starts')
const insertTokenChanges = query('retraction/insert_token_changes')

/** The changed buckets of one width, in memory. */
export async function takeBackTrades(
  db: Db,
  buckets: Buckets,
  retracted: readonly DecodedTrade[],
): Promise<Set<TraderBucket>> {
  const keys = retracted.map(({ mint, timestamp }) => buckets.keyOf(mint.id, timestamp))
  await buckets.load(db, keys)
  const touched = new Set<TraderBucket>()
  for (const [index, { isBuy }] of retracted.entries()) {
    const bucket = buckets.get(keys[index]!)!
    if (isBuy) bucket.buyCount -= 1
    else bucket.sellCount -= 1
    touched.add(bucket)
  }
  await readSetsAgain(db, [...touched])
  return touched
}

async function readSetsAgain(db: Db, buckets: readonly TraderBucket[]): Promise<void> {
  const widthMs = buckets[0]?.isHour ? HOUR_MS : MINUTE_MS
  const rows = await listBucketTraders(db, [
    int4Array(buckets.map(({ tokenId }) => tokenId)),
    int8Array(buckets.map(({ bucketMs }) => bucketMs)),
    widthMs,
  ])
  for (const bucket of buckets) {
    bucket.buyers = { wallets: new Set(), below: undefined }
    bucket.sellers = { wallets: new Set(), below: undefined }
  }
  for (const { ordinal, is_buy, wallet_id } of rows) {
    const { buyers, sellers } = buckets[ordinal - 1]!
    ;(is_buy ? buyers : sellers).wallets.add(mixedWallet(wallet_id))
  }
}

/** After the buckets were written. */
export async function writeRetracted(
  connection: Connection,
  retracted: readonly DecodedTrade[],
): Promise<void> {
  const tokenIds = int4Array([...new Set(retracted.map(({ mint }) => mint.id))])
  await deleteEmptyMinutes(connection, bucketColumns(retracted, MINUTE_MS))
  await deleteEmptyHours(connection, bucketColumns(retracted, HOUR_MS))
  await recomputeStarts(connection, [tokenIds])
  await insertTokenChanges(connection, [tokenIds])
}

const bucketColumns = (retracted: readonly DecodedTrade[], widthMs: number): Buffer[] => [
  int4Array(retracted.map(({ mint }) => mint.id)),
  int8Array(retracted.map(({ timestamp }) => bucketOf(timestamp, widthMs))),
]
