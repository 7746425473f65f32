/**
 * Removes retracted trades from the tables of the ranking.
 *
 * Law: a bucket counts the trades that FEED published and did not retract, so the commit that reads a retraction
 * subtracts its trade once. A sketch of wallets cannot be subtracted from, so it is computed again from the `swap`
 * table. The table may hold swaps that FEED has yet to deliver; adding their wallets a second time changes nothing.
 */
import { bucketOf, HOUR_MS, MINUTE_MS } from '../../domain/time/time-bucket.ts'
import { correctStarts } from '../../history/swaps/slots.ts'
import { listBucketTraders } from '../../history/swaps/tokens.ts'
import { int4Array, int8Array } from '../../sql/binary/arrays.ts'
import type { Connection, Db } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import type { DecodedTrade } from '../../streams/codec/ranking-decoder.ts'
import type { TraderBucketCache } from './store.ts'
import { mixedWallet, type TraderBucket } from './traders.ts'

const deleteEmptyMinutes = query('ranking/delete_empty_minutes')
const deleteEmptyHours = query('ranking/delete_empty_hours')
const insertTokenChanges = query('retraction/insert_token_changes')

/** Subtracts trades from the buckets of one width in memory; returns those that changed. */
export async function subtractRetracted(
  db: Db,
  buckets: TraderBucketCache,
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
  await recomputeSketches(db, [...touched])
  return touched
}

async function recomputeSketches(db: Db, buckets: readonly TraderBucket[]): Promise<void> {
  const widthMs = buckets[0]?.isHour ? HOUR_MS : MINUTE_MS
  const rows = await listBucketTraders(db, buckets, widthMs)
  for (const bucket of buckets) {
    bucket.buyers = { wallets: new Set(), below: undefined }
    bucket.sellers = { wallets: new Set(), below: undefined }
  }
  for (const { ordinal, is_buy, wallet_id } of rows) {
    const { buyers, sellers } = buckets[ordinal - 1]!
    ;(is_buy ? buyers : sellers).wallets.add(mixedWallet(wallet_id))
  }
}

/** Deletes buckets without trades and corrects first swaps. Runs after the buckets were written. */
export async function writeRetracted(
  connection: Connection,
  retracted: readonly DecodedTrade[],
): Promise<void> {
  const tokenIds = [...new Set(retracted.map(({ mint }) => mint.id))]
  await deleteEmptyMinutes(connection, bucketColumns(retracted, MINUTE_MS))
  await deleteEmptyHours(connection, bucketColumns(retracted, HOUR_MS))
  await correctStarts(connection, tokenIds)
  await insertTokenChanges(connection, [int4Array(tokenIds)])
}

const bucketColumns = (retracted: readonly DecodedTrade[], widthMs: number): Buffer[] => [
  int4Array(retracted.map(({ mint }) => mint.id)),
  int8Array(retracted.map(({ timestamp }) => bucketOf(timestamp, widthMs))),
]
