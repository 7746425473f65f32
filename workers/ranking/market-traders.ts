/**
 * Distinct traders of the whole market by the minute and by the hour, over the last day.
 *
 * A bucket stores a bottom-k sketch (traders.ts) as rows that are only added: all wallets while they are at most
 * TRADERS_EXACT, else at least the TRADERS_EXACT smallest and the next. So a merge is idempotent and independent of
 * order.
 */

import { greatestOf } from '../../domain/numbers/extremes.ts'
import { bucketOf, HOUR_MS, MINUTE_MS } from '../../domain/time/time-bucket.ts'
import { addMarketBuckets, addMarketTraders } from '../../history/swaps/slots.ts'
import { int4Array, int8Array, plainArray } from '../../sql/binary/arrays.ts'
import type { Connection, Db } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { mixedWallet, TRADERS_EXACT, type TraderSketch, trimSketch } from './traders.ts'

type Bucket = { isHour: boolean; bucketMs: number }
type Trade = { timestamp: number; user: { id: number } }
/** A bucket's sketch, and the wallets that a batch added to it. */
type NewTraders = Bucket & { set: TraderSketch; wallets: number[] }
type Row = { isHour: boolean; bucketMs: number; wallet: number }
type NewRows = { rows: Row[]; retainedFromMs: number }

const listTraders = query<{ wallet: number }>('ranking/list_market_traders')
const insertTraders = query('ranking/insert_market_traders')
const deleteTraders = query('ranking/delete_market_traders')
const deleteBuckets = query('ranking/delete_market_buckets')
const readNewest = query<{ newest_ms: number | null }>('ranking/read_newest')

/** Hours that a window of a day can touch. */
const RETENTION_HOURS = 25
const ALL_BEFORE_MS = Number.MAX_SAFE_INTEGER
/** Cached sketches; beyond, those of the earliest buckets are evicted. */
const SETS_MAX = 200
const SET_SLACK = 2

export class MarketTraders {
  private readonly sets = new Map<number, TraderSketch>()
  private newestMs: number | undefined
  /** Rows before this time are deleted, Unix ms. */
  private deletedBeforeMs = 0

  /** Adds trades to the cached sketches; returns the rows to insert. */
  async add(db: Db, trades: readonly Trade[]): Promise<NewRows> {
    this.newestMs ??= (await readNewest(db))[0]?.newest_ms ?? 0
    for (const { timestamp } of trades) this.newestMs = Math.max(this.newestMs, timestamp)
    // Retention ends, as windows do, by the wall clock: a producer whose clock is fast deletes no bucket early.
    const retainedFromMs = retainedFrom(Math.min(this.newestMs, Date.now()))
    const groups = new Map<number, NewTraders>()
    for (const isHour of [false, true]) {
      const widthMs = isHour ? HOUR_MS : MINUTE_MS
      let group: NewTraders | undefined
      for (const { timestamp, user } of trades) {
        if (timestamp < retainedFromMs) continue
        // Consecutive trades mostly share a bucket.
        if (
          group === undefined ||
          !(timestamp >= group.bucketMs && timestamp < group.bucketMs + widthMs)
        ) {
          group = await this.groupOf(db, groups, isHour, bucketOf(timestamp, widthMs))
        }
        const wallet = mixedWallet(user.id)
        if (isNewTo(group.set, wallet)) group.wallets.push(wallet)
      }
    }
    this.evictEarliest()
    return { rows: [...groups.values()].flatMap(rowsOf), retainedFromMs }
  }

  async write(connection: Connection, { rows, retainedFromMs }: NewRows): Promise<void> {
    if (rows.length > 0) {
      await insertTraders(connection, [
        plainArray(rows.map(({ isHour }) => isHour)),
        int8Array(rows.map(({ bucketMs }) => bucketMs)),
        int4Array(rows.map(({ wallet }) => wallet)),
      ])
    }
    if (retainedFromMs <= this.deletedBeforeMs) return
    await deleteTraders(connection, [retainedFromMs])
    this.deletedBeforeMs = retainedFromMs
  }

  /**
   * Recounts the buckets of retracted trades from the tables, which reads all swaps of an hour. Where the newest
   * swap was retracted, retention begins earlier than before, and the buckets that it had deleted are recounted
   * too.
   */
  async recount(connection: Connection, retracted: readonly Trade[]): Promise<void> {
    const newestMs = (await readNewest(connection))[0]?.newest_ms ?? undefined
    const retainedFromMs = newestMs === undefined ? 0 : retainedFrom(newestMs)
    const buckets = new Map<number, Bucket>()
    const note = (isHour: boolean, timestamp: number): void => {
      const bucketMs = bucketOf(timestamp, isHour ? HOUR_MS : MINUTE_MS)
      if (bucketMs >= retainedFromMs) buckets.set(keyOf(isHour, bucketMs), { isHour, bucketMs })
    }
    for (const { timestamp } of retracted)
      for (const isHour of [false, true]) note(isHour, timestamp)
    if (newestMs !== undefined) {
      for (const { isHour, bucketMs } of this.missing(newestMs, retracted)) note(isHour, bucketMs)
    }
    this.sets.clear()
    this.newestMs = newestMs
    this.deletedBeforeMs = Math.min(this.deletedBeforeMs, retainedFromMs)
    const recounted = [...buckets.values()]
    const isHour = plainArray(recounted.map((bucket) => bucket.isHour))
    const bucketMs = int8Array(recounted.map((bucket) => bucket.bucketMs))
    await deleteBuckets(connection, [isHour, bucketMs])
    await addMarketBuckets(connection, isHour, bucketMs)
  }

  /** Buckets within retention that were deleted while the retracted trades were the newest. */
  private *missing(newestMs: number, retracted: readonly Trade[]): Iterable<Bucket> {
    const formerMs = Math.min(greatestOf(retracted.map(({ timestamp }) => timestamp)), Date.now())
    const deletedBeforeMs = Math.max(this.deletedBeforeMs, retainedFrom(formerMs))
    const endMs = Math.min(deletedBeforeMs, bucketOf(newestMs, HOUR_MS) + HOUR_MS)
    for (let bucketMs = retainedFrom(newestMs); bucketMs < endMs; bucketMs += MINUTE_MS) {
      yield { isHour: false, bucketMs }
      if (bucketMs % HOUR_MS === 0) yield { isHour: true, bucketMs }
    }
  }

  /** Empties the cache after a recount of the tables. */
  clear(): void {
    this.sets.clear()
  }

  private async groupOf(
    db: Db,
    groups: Map<number, NewTraders>,
    isHour: boolean,
    bucketMs: number,
  ): Promise<NewTraders> {
    const key = keyOf(isHour, bucketMs)
    let group = groups.get(key)
    if (group === undefined) {
      const set = this.sets.get(key) ?? (await this.load(db, isHour, bucketMs))
      group = { isHour, bucketMs, set, wallets: [] }
      groups.set(key, group)
    }
    return group
  }

  private async load(db: Db, isHour: boolean, bucketMs: number): Promise<TraderSketch> {
    const rows = await listTraders(db, [isHour, bucketMs, TRADERS_EXACT + 1])
    const set: TraderSketch = {
      wallets: new Set(rows.map(({ wallet }) => wallet)),
      below: undefined,
    }
    trimSketch(set)
    this.sets.set(keyOf(isHour, bucketMs), set)
    return set
  }

  private evictEarliest(): void {
    const keys = [...this.sets.keys()].sort((a, b) => a - b)
    for (const key of keys.slice(0, Math.max(0, keys.length - SETS_MAX))) this.sets.delete(key)
  }
}

/** Replaces the whole table from the `swap` table, which also has the swaps that FEED never delivered. */
export async function recountMarket(connection: Connection): Promise<void> {
  const [newest] = await readNewest(connection)
  await deleteTraders(connection, [ALL_BEFORE_MS])
  await addMarketTraders(connection, retainedFrom(newest?.newest_ms ?? 0))
}

/** First hour whose buckets are retained while windows end at `newestMs`. */
export const retainedFrom = (newestMs: number): number =>
  bucketOf(newestMs, HOUR_MS) - RETENTION_HOURS * HOUR_MS

const keyOf = (isHour: boolean, bucketMs: number): number => bucketMs * 2 + Number(isHour)

function isNewTo(set: TraderSketch, wallet: number): boolean {
  const { wallets, below } = set
  if (wallets.has(wallet) || (below !== undefined && wallet >= below)) return false
  wallets.add(wallet)
  if (wallets.size > SET_SLACK * TRADERS_EXACT) trimSketch(set)
  return true
}

/**
 * Rows of the added wallets in index order, without those above the bound of a full sketch; the bound is stored.
 */
function rowsOf({ isHour, bucketMs, set, wallets }: NewTraders): Row[] {
  if (set.wallets.size > TRADERS_EXACT) trimSketch(set)
  const { below } = set
  const stored = below === undefined ? wallets : wallets.filter((wallet) => wallet <= below)
  return stored.sort((a, b) => a - b).map((wallet) => ({ isHour, bucketMs, wallet }))
}
