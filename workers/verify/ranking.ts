/**
 * Counts traders of tokens, and of the market, afresh, minute by minute and hour by hour, and compares with the stored
 * counts. Ranking snapshots derive from these and from tables that are compared elsewhere. Hashes go by mints and
 * counts; wallets are compared by their mixed ids.
 */

import { counted } from '../../domain/text/plural.ts'
import { bucketOf, HOUR_MS, MINUTE_MS } from '../../domain/time/time-bucket.ts'
import { compareMarketTraders, type TokenTrade, tokenTrades } from '../../history/swaps/scan/all.ts'
import type { Connection } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { retainedFrom } from '../ranking/market-traders.ts'
import { findRecountPage, nextRecounted, RECOUNT_PAGE_SWAPS } from '../ranking/recount.ts'
import { type BucketRow, bucketOfRow } from '../ranking/store.ts'
import {
  addTrade,
  emptyBucket,
  mixedWallet,
  TRADERS_EXACT,
  type TraderBucket,
  type TraderSketch,
  trimSketch,
} from '../ranking/traders.ts'
import { type TableReport, UnorderedComparison } from './comparison.ts'

type OfHour = { hour_ms: number }
type StoredRow = OfHour & BucketRow & { is_hour: boolean }
type StartRow = { token_id: number; first_ms: number }

const listMintsBetween = query<{ id: number; address: string }>('verify/list_mints_between')
const countUnranked = query<{ unread: number | null }>('verify/count_unranked_swaps')
const openTraders = query('verify/open_traders')
const fetchTraders = query<StoredRow>('verify/fetch_traders')
const closeTraders = query('verify/close_traders')
const listStarts = query<StartRow>('verify/list_starts')

const readNewest = query<{ newest_ms: number | null }>('ranking/read_newest')

const TOKEN_ID_MAX = 2 ** 31 - 1
/** Wallets of a set from which on it is trimmed: it may have all of a busy hour's. */
const TRIMMED_FROM = 4 * TRADERS_EXACT

/** Stored swaps that the ranking has not read; undefined where no ranking has ever run. */
export async function unrankedSwaps(connection: Connection): Promise<number | undefined> {
  const [row] = await countUnranked(connection)
  return row?.unread ?? undefined
}

/** Reads in the snapshot of `connection`. No tables where no ranking has ever run. `fromMs`: the first hour whose swaps are all stored. */
export async function verifyRanking(
  connection: Connection,
  fromMs: number,
): Promise<TableReport[]> {
  const unread = await unrankedSwaps(connection)
  if (unread === undefined) return []
  const verification = new RankingVerification(connection, fromMs)
  await verification.begin(unread)
  for (let from = 0; from < TOKEN_ID_MAX; ) {
    const [page] = await findRecountPage(connection, [from, RECOUNT_PAGE_SWAPS])
    const to = page?.to_token_id ?? TOKEN_ID_MAX
    await verification.compare(from, to)
    from = to
  }
  await verification.compareMarket()
  return verification.report()
}

class RankingVerification {
  private readonly connection: Connection
  private readonly minutes = new UnorderedComparison('trader_minute')
  private readonly hours = new UnorderedComparison('trader_hour')
  private readonly starts = new UnorderedComparison('token_start')
  private readonly market = new UnorderedComparison('market_trader')
  /** Mints of the page. */
  private readonly mints = new Map<number, string>()

  private readonly fromMs: number

  constructor(connection: Connection, fromMs: number) {
    this.connection = connection
    this.fromMs = fromMs
  }

  async begin(unread: number): Promise<void> {
    const advice = 'verify again when `status --wait` returns'
    if ((await nextRecounted(this.connection)) !== undefined) {
      this.explain(`tokens are still being recounted: ${advice}`)
    } else if (unread > 0) {
      this.explain(`the ranking has not read ${counted(unread, 'swap')} yet: ${advice}`)
    }
  }

  /** Minutes differ by the reason itself, the other tables where a row does. */
  private explain(reason: string): void {
    this.minutes.differ(reason)
    for (const table of [this.minutes, this.hours, this.starts, this.market]) table.explain(reason)
  }

  /** Hour by hour: of a token that always traded, all of them would not fit into memory. */
  async compare(from: number, to: number): Promise<void> {
    this.mints.clear()
    for (const { id, address } of await listMintsBetween(this.connection, [from, to])) {
      this.mints.set(id, address)
    }
    const firstMs = new Map<number, number>()
    const folded = hoursOf(tokenTrades(this.connection, from, to, this.fromMs))
    const stored = hoursOf(storedTraders(this.connection, from, to))
    let [trades, buckets] = [(await folded.next()).value, (await stored.next()).value]
    while (trades !== undefined || buckets !== undefined) {
      const hourMs = Math.min(trades?.hourMs ?? Infinity, buckets?.hourMs ?? Infinity)
      const ofHour = new Map<string, TraderBucket>()
      for (; trades?.hourMs === hourMs; trades = (await folded.next()).value) {
        for (const row of trades.rows) countTrade(ofHour, firstMs, row)
      }
      for (; buckets?.hourMs === hourMs; buckets = (await stored.next()).value) {
        for (const row of buckets.rows) this.compareRow(ofHour, row)
      }
      for (const bucket of ofHour.values()) this.compareBucket(undefined, bucket)
    }
    await this.compareStarts(from, to, firstMs)
  }

  private compareRow(folded: Map<string, TraderBucket>, row: StoredRow): void {
    if (row.bucket_ms < this.fromMs) return
    const stored = bucketOfRow(row, row.is_hour)
    const key = keyOf(stored)
    this.compareBucket(stored, folded.get(key))
    folded.delete(key)
  }

  private async compareStarts(
    from: number,
    to: number,
    firstMs: Map<number, number>,
  ): Promise<void> {
    for (const row of await listStarts(this.connection, [from, to])) {
      const first = firstMs.get(row.token_id)
      firstMs.delete(row.token_id)
      if (row.first_ms < this.fromMs) continue
      const text = first === undefined ? undefined : `${first}`
      this.starts.row(this.mintOf(row.token_id), `${row.first_ms}`, text)
    }
    for (const [tokenId, first] of firstMs) {
      this.starts.row(this.mintOf(tokenId), undefined, `${first}`)
    }
  }

  /** Compares the last day; for a bucket beyond TRADERS_EXACT wallets, so many and the next. */
  async compareMarket(): Promise<void> {
    const [newest] = await readNewest(this.connection)
    const fromMs = retainedFrom(newest?.newest_ms ?? 0)
    for (const row of await compareMarketTraders(this.connection, fromMs, TRADERS_EXACT + 1)) {
      const { stored, folded } = row
      const key = `${row.is_hour ? 'hour' : 'minute'} ${row.bucket_ms}`
      this.market.row(key, stored?.length.toString(), folded?.length.toString())
      if (stored !== null && folded !== null && stored.join() !== folded.join()) {
        this.market.differ(`${key}: the traders are others`)
      }
    }
  }

  report(): TableReport[] {
    return [this.minutes, this.hours, this.starts, this.market].map((comparison) =>
      comparison.report(),
    )
  }

  private compareBucket(stored: TraderBucket | undefined, folded: TraderBucket | undefined): void {
    const either = (stored ?? folded)!
    const comparison = either.isHour ? this.hours : this.minutes
    const key = `${this.mintOf(either.tokenId)} ${either.bucketMs}`
    comparison.row(key, stored && textOf(stored), folded && textOf(folded))
    if (stored === undefined || folded === undefined) return
    for (const side of ['buyers', 'sellers'] as const) {
      if (walletsOf(stored[side]) !== walletsOf(folded[side])) {
        comparison.differ(`${key}: ${side} are others`)
      }
    }
  }

  private mintOf(tokenId: number): string {
    return this.mints.get(tokenId) ?? `token ${tokenId}`
  }
}

const keyOf = ({ isHour, tokenId, bucketMs }: TraderBucket): string =>
  `${isHour} ${tokenId} ${bucketMs}`

/** Rows of one hour, perhaps not all of them. */
type Rows<Row> = { hourMs: number; rows: Row[] }

/** Pages of the stored buckets of tokens from one id to before another, hour by hour. */
async function* storedTraders(
  connection: Connection,
  from: number,
  to: number,
): AsyncGenerator<StoredRow[]> {
  await openTraders(connection, [from, to])
  for (;;) {
    const rows = await fetchTraders(connection)
    if (rows.length === 0) break
    yield rows
  }
  await closeTraders(connection)
}

/** Rows of pages in the order of hours; undefined at the end. */
async function* hoursOf<Row extends OfHour>(
  pages: AsyncIterable<Row[]>,
): AsyncGenerator<Rows<Row>, undefined> {
  for await (const rows of pages) {
    for (const [hourMs, own] of Map.groupBy(rows, (row) => row.hour_ms)) yield { hourMs, rows: own }
  }
  return undefined
}

function countTrade(
  folded: Map<string, TraderBucket>,
  firstMs: Map<number, number>,
  row: TokenTrade,
): void {
  for (const isHour of [false, true]) {
    const bucketMs = bucketOf(row.timestamp_ms, isHour ? HOUR_MS : MINUTE_MS)
    const empty = emptyBucket(row.token_id, bucketMs, isHour)
    const bucket = folded.get(keyOf(empty)) ?? empty
    folded.set(keyOf(empty), bucket)
    addTrade(bucket, row.is_buy, mixedWallet(row.wallet_id))
    const set = row.is_buy ? bucket.buyers : bucket.sellers
    if (set.wallets.size > TRIMMED_FROM) trimSketch(set)
  }
  const known = firstMs.get(row.token_id) ?? Number.POSITIVE_INFINITY
  firstMs.set(row.token_id, Math.min(known, row.timestamp_ms))
}

/** Text of a bucket that two installations with the same swaps agree in. */
function textOf({ buyCount, sellCount, buyers, sellers }: TraderBucket): string {
  const shown = (set: TraderSketch): string =>
    `${trimSketch(set).length}${set.below === undefined ? '' : '+'}`
  return `${buyCount} buys by ${shown(buyers)}, ${sellCount} sells by ${shown(sellers)}`
}

const walletsOf = (set: TraderSketch): string => `${trimSketch(set).join()} ${set.below}`
