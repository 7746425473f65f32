/**
 * Trader buckets of a lane: a cache in memory, and their tables. A batch loads the buckets that it touches and
 * rewrites them whole, so a repeated write changes nothing.
 */

import { greatestOf, leastOf } from '../../domain/numbers/extremes.ts'
import { HOUR_MS, MINUTE_MS } from '../../domain/time/time-bucket.ts'
import { int4Array, int8Array } from '../../sql/binary/arrays.ts'
import { CopyBuffer, copyIn } from '../../sql/binary/copy-writer.ts'
import type { Connection, Db } from '../../sql/db.ts'
import { pooledClientOf } from '../../sql/driver/pooler.ts'
import { query, variants } from '../../sql/query.ts'
import { emptyBucket, type TraderBucket, trimSketch } from './traders.ts'

export type BucketRow = {
  token_id: number
  bucket_ms: number
  buy_count: number
  sell_count: number
  buyers_below: number | null
  sellers_below: number | null
  buyers: number[]
  sellers: number[]
}

const LOAD_TRADERS = variants<BucketRow, 'minute' | 'hour'>('ranking/load_traders', [
  'minute',
  'hour',
])
const createStage = query('ranking/create_stage')
const MERGE_TRADERS = variants('ranking/merge_traders', ['minute', 'hour'])
const mergeStarts = query('ranking/merge_starts')

/** Columns are named, because a later version may add others. */
const COPY_STAGE = `copy trader_stage (
  is_hour, token_id, buy_count, bucket_ms, sell_count, buyers_below, sellers_below, buyers, sellers
) from stdin (format binary)`
const COLUMNS = 9
const ROW_BYTES = 256
const WALLET_BYTES = 8

/** Sizes of one cache generation: some 50,000 minutes and 90,000 hours with few traders. */
const MINUTES_BYTES = 32 * 1024 * 1024
const HOURS_BYTES = 64 * 1024 * 1024
/** Estimated memory of a bucket, and of each wallet of its sketches. */
const BUCKET_BYTES = 600
const HELD_WALLET_BYTES = 24

/** Token and bucket in one safe integer where they fit, which avoids a string allocation a trade; else a string. */
export type BucketKey = number | string

/** Numbers of minutes until the year 2097. */
const BUCKETS_IN_NUMBER = 2 ** 26
const TOKENS_IN_NUMBER = 2 ** 27

function bucketKey(tokenId: number, bucket: number): BucketKey {
  return tokenId < TOKENS_IN_NUMBER && bucket < BUCKETS_IN_NUMBER
    ? tokenId * BUCKETS_IN_NUMBER + bucket
    : `${tokenId}:${bucket}`
}

function bucketKeyOf(key: BucketKey): { tokenId: number; bucket: number } {
  if (typeof key === 'number') {
    const tokenId = Math.floor(key / BUCKETS_IN_NUMBER)
    return { tokenId, bucket: key - tokenId * BUCKETS_IN_NUMBER }
  }
  const [tokenId, bucket] = key.split(':').map(Number)
  return { tokenId: tokenId!, bucket: bucket! }
}

/**
 * Two-generation cache of buckets of one width: a hit moves a bucket to the young generation, and a full young
 * generation replaces the old one. The bound is in bytes, because an hour may have two thousand wallets.
 */
export class TraderBucketCache {
  private young = new Map<BucketKey, TraderBucket>()
  private old = new Map<BucketKey, TraderBucket>()
  private youngBytes = 0
  private readonly isHour: boolean
  private readonly widthMs: number
  private readonly bytesMax: number

  /**
   * `bytesMax`: estimated size of a generation. The cache holds at most two, and the buckets of the current batch.
   */
  constructor(isHour: boolean, bytesMax = isHour ? HOURS_BYTES : MINUTES_BYTES) {
    this.isHour = isHour
    this.widthMs = isHour ? HOUR_MS : MINUTE_MS
    this.bytesMax = bytesMax
  }

  keyOf(tokenId: number, timestamp: number): BucketKey {
    return bucketKey(tokenId, Math.floor(timestamp / this.widthMs))
  }

  get(key: BucketKey): TraderBucket | undefined {
    const bucket = this.young.get(key)
    if (bucket !== undefined) return bucket
    const older = this.old.get(key)
    if (older !== undefined) this.put(key, older)
    return older
  }

  private put(key: BucketKey, bucket: TraderBucket): void {
    const { buyers, sellers } = bucket
    this.young.set(key, bucket)
    this.youngBytes +=
      BUCKET_BYTES + HELD_WALLET_BYTES * (buyers.wallets.size + sellers.wallets.size)
  }

  /** Accounts for wallets that were added to cached buckets. */
  noteGrowth(wallets: number): void {
    this.youngBytes += HELD_WALLET_BYTES * wallets
  }

  /** Evicts the old generation when the young one is full. Called between batches only. */
  rotate(): void {
    if (this.youngBytes < this.bytesMax) return
    this.old = this.young
    this.young = new Map()
    this.youngBytes = 0
  }

  clear(): void {
    this.young.clear()
    this.old.clear()
    this.youngBytes = 0
  }

  /** Loads the buckets that are not cached; a bucket that is not stored is empty. */
  async load(db: Db, keys: Iterable<BucketKey>): Promise<void> {
    const unknown = new Set<BucketKey>()
    for (const key of keys) if (this.get(key) === undefined) unknown.add(key)
    if (unknown.size === 0) return
    const missing = [...unknown]
    const buckets = missing.map(bucketKeyOf)
    const tokenIds = buckets.map(({ tokenId }) => tokenId)
    const times = buckets.map(({ bucket }) => bucket * this.widthMs)
    const load = LOAD_TRADERS[this.isHour ? 'hour' : 'minute']
    const bounds = [leastOf(times), greatestOf(times)]
    const rows = await load(db, [int4Array(tokenIds), int8Array(times), ...bounds])
    for (const row of rows) {
      this.put(this.keyOf(row.token_id, row.bucket_ms), bucketOfRow(row, this.isHour))
    }
    for (const [index, key] of missing.entries()) {
      if (this.young.has(key)) continue
      this.put(key, emptyBucket(tokenIds[index]!, times[index]!, this.isHour))
    }
  }
}

export function bucketOfRow(row: BucketRow, isHour: boolean): TraderBucket {
  return {
    tokenId: row.token_id,
    bucketMs: row.bucket_ms,
    isHour,
    buyCount: row.buy_count,
    sellCount: row.sell_count,
    buyers: { wallets: new Set(row.buyers), below: row.buyers_below ?? undefined },
    sellers: { wallets: new Set(row.sellers), below: row.sellers_below ?? undefined },
  }
}

/** Encodes buckets as rows of a COPY, before the transaction and before the next batch changes them. */
export function encodeBuckets(buckets: Iterable<TraderBucket>): Buffer {
  const rows = new CopyBuffer(1 << 18)
  for (const bucket of buckets) {
    const buyers = trimSketch(bucket.buyers)
    const sellers = trimSketch(bucket.sellers)
    rows.row(COLUMNS, ROW_BYTES + WALLET_BYTES * (buyers.length + sellers.length))
    rows.bool(bucket.isHour)
    rows.int4(bucket.tokenId)
    rows.int4(bucket.buyCount)
    rows.int8(bucket.bucketMs)
    rows.int4(bucket.sellCount)
    writeBound(rows, bucket.buyers.below)
    writeBound(rows, bucket.sellers.below)
    rows.raw(int4Array(buyers))
    rows.raw(int4Array(sellers))
  }
  return rows.finish()
}

function writeBound(rows: CopyBuffer, below: number | undefined): void {
  if (below === undefined) rows.null()
  else rows.int4(below)
}

/** Connections that created the staging table; those of a failed transaction are closed with it. */
const staged = new WeakSet<Connection>()

export async function writeBuckets(connection: Connection, rows: Buffer): Promise<void> {
  if (!staged.has(connection) || pooledClientOf(connection) !== undefined) {
    await createStage(connection)
    staged.add(connection)
  }
  await copyIn(connection, COPY_STAGE, rows)
  for (const merge of Object.values(MERGE_TRADERS)) await merge(connection)
}

export async function writeFirstSwaps(
  connection: Connection,
  firstSwaps: ReadonlyMap<number, number>,
): Promise<void> {
  if (firstSwaps.size === 0) return
  await mergeStarts(connection, [
    int4Array([...firstSwaps.keys()]),
    int8Array([...firstSwaps.values()]),
  ])
}
