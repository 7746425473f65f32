/**
 * Folds the stored swaps afresh, pool by pool in canonical order, and compares every table with the
 * result. Hashes go by names, never by ids, so two installations that hold the same swaps agree; the wallets' tags at
 * the time of a swap (`wallet_tags`) depend on when it arrived, so they are left out.
 *
 * One snapshot (repeatable read): commits made while it runs are not seen, so it may run alongside live workers. The
 * ledger lags the swaps by some milliseconds: verification waits for a snapshot in which it has read them all, and
 * otherwise reports how many it has not.
 */

import { setTimeout as pause } from 'node:timers/promises'
import { swapOfRow } from '../../domain/events/stored-row.ts'
import { compareSwaps } from '../../domain/events/swap.ts'
import type { Log } from '../../domain/log.ts'
import { counted } from '../../domain/text/plural.ts'
import { storedSearchKey } from '../../domain/text/search-key.ts'
import { HOUR_MS } from '../../domain/time/time-bucket.ts'
import { storedSince } from '../../history/sealed/find/stored.ts'
import { SLOT_MAX } from '../../history/sealed/pages.ts'
import type { Since } from '../../history/sealed/state.ts'
import { countSwaps, listDangling, venueVolumes } from '../../history/swaps/scan/all.ts'
import { type ScannedRow, scanPools } from '../../history/swaps/scan/pools.ts'
import type { Connection, Db } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { BEGIN_SNAPSHOT } from '../../sql/snapshot.ts'
import { applySwap } from '../pool/pool.ts'
import type { PoolState } from '../pool/pool-state.ts'
import { poolColumns } from '../pool/write/write.ts'
import { CandleVerification } from './candles.ts'
import { Comparison, stringifyBigint, type TableReport } from './comparison.ts'
import { verifyLedger } from './ledger.ts'
import {
  listEventsOfPools,
  type PoolName,
  poolWithEvents,
  type StoredEvent,
} from './pool-events.ts'
import { unrankedSwaps, verifyRanking } from './ranking.ts'
import { type SandwichReport, verifySandwiches } from './sandwiches.ts'
import { type RankingReport, verifyRankings } from './served-rankings.ts'
import { SpanComparison, type SpanRow } from './spans.ts'
import { SwapComparison } from './swaps.ts'

/**
 * `rankings`: what is served of the tables; it has no hash, because it changes with the time at which windows end. `sandwiches` has none,
 * because a job follows the swaps some seconds later.
 */
export type VerifyReport = {
  tables: TableReport[]
  rankings: RankingReport
  sandwiches: SandwichReport
  notHeld: NotHeld | undefined
  clean: boolean
}
/** Pools and positions that are not compared, because swaps of them before a slot were dropped. */
export type NotHeld = { readonly since: Since; readonly pools: number; readonly positions: number }

type PoolNameRow = PoolName & { swap_count: number; first_slot: number | null } & Record<
    string,
    unknown
  >
const listPools = query<PoolNameRow>('verify/list_pools')
const listTokens = query<TokenTexts & { address: string }>('verify/list_tokens')
const listSlotSpans = query<SpanRow>('verify/list_slot_spans')
const countUnreadSwaps = query<{ unread: number | null }>('verify/count_unread_swaps')
const countRepairs = query<{ repairs: number }>('verify/count_repairs')

const POOLS_A_PAGE = 1_000
/** Pools whose stored rows are read at once, fewer where they have so many swaps. */
const POOLS_A_STEP = 100
const SWAPS_A_STEP = 20_000
const TOKENS_A_PAGE = 5_000

const ALL_SLOTS = { low: 0, high: SLOT_MAX } as const

/** How long a snapshot is looked for in which the ledger has read every swap. */
const SNAPSHOT_WAIT_MS = 15_000
/** Every attempt sums all positions: a shorter interval would slow the ledger down. */
const SNAPSHOT_POLL_MS = 100

/** Begins the snapshot; answers with the swaps in it that the ledger has not read. */
async function beginSnapshot(connection: Connection, waitMs: number): Promise<number> {
  for (const endsAt = performance.now() + waitMs; ; await pause(SNAPSHOT_POLL_MS)) {
    await connection.query(BEGIN_SNAPSHOT)
    const [row] = await countUnreadSwaps(connection)
    const unread = row?.unread ?? 0
    const isRead = unread <= 0 && ((await unrankedSwaps(connection)) ?? 0) <= 0
    if (isRead || performance.now() >= endsAt) return unread
    await connection.query('rollback')
  }
}

type VerifyOptions = {
  log: Log
  /** How long a snapshot is looked for in which ledger and ranking have read every swap, ms. Absent: 15 s. */
  waitMs?: number
}

/** Compares; rejects only when the database cannot be read. */
export async function verify(
  db: Db,
  { log, waitMs = SNAPSHOT_WAIT_MS }: VerifyOptions,
): Promise<VerifyReport> {
  const connection = await db.connect()
  try {
    const unread = await beginSnapshot(connection, waitMs)
    const since = await storedSince(connection)
    const fromMs = Math.ceil((since?.ms ?? 0) / HOUR_MS) * HOUR_MS
    const verification = new Verification(connection, since?.slot ?? 0, fromMs)
    let positions = 0
    const tables = await verification.run((pools, swaps) =>
      log.info({ pools, swaps }, 'verifying database'),
    )
    // Swaps without a wallet or pool cannot be folded into a ledger.
    if (!verification.isDangling) {
      log.info('verifying ledger')
      const ledger = await verifyLedger(db, connection, unread, since)
      tables.push(...ledger.tables)
      positions = ledger.notHeld
      log.info('verifying traders of tokens')
      tables.push(...(await verifyRanking(connection, fromMs)))
    }
    log.info('verifying sandwiches')
    const sandwiches = await verifySandwiches(connection, since?.slot ?? 0)
    await connection.query('commit')
    log.info('verifying served rankings')
    const rankings = await verifyRankings(db)
    const isClean =
      tables.every((table) => table.equal) &&
      rankings.differences.length + sandwiches.differences.length === 0
    const notHeld = since && { since, pools: verification.notHeld, positions }
    return { tables, rankings, sandwiches, notHeld, clean: isClean }
  } finally {
    connection.release(true)
  }
}

class Verification {
  private readonly connection: Connection
  private readonly swaps: SwapComparison
  private readonly pools = new Comparison('pool')
  private readonly poolEvents = new Comparison('pool_event')
  private readonly tokens = new Comparison('token')
  private readonly spans = new SpanComparison()
  private readonly venues = new Comparison('venue_volume')
  private readonly candles: CandleVerification
  private swapCount = 0
  /** Swaps of pools whose stored rows are not read yet. */
  private waitingCount = 0
  /** Rows name ids that do not exist. */
  isDangling = false
  /** Pools whose first swaps were dropped. */
  notHeld = 0
  private readonly sinceSlot: number
  private readonly fromMs: number

  constructor(connection: Connection, sinceSlot: number, fromMs: number) {
    this.connection = connection
    this.sinceSlot = sinceSlot
    this.fromMs = fromMs
    this.swaps = new SwapComparison(connection)
    this.candles = new CandleVerification(connection)
  }

  async run(onProgress: (pools: number, swaps: number) => void): Promise<TableReport[]> {
    await this.findDangling()
    let pools = 0
    for (let after = 0; ; ) {
      const page = await listPools(this.connection, [after, POOLS_A_PAGE])
      for (let from = 0; from < page.length; from += POOLS_A_STEP) {
        const some = page.slice(from, from + POOLS_A_STEP)
        const old = some.filter((pool) => (pool.first_slot ?? this.sinceSlot) < this.sinceSlot)
        await this.foldPools(some.filter((pool) => !old.includes(pool)))
        await this.readOld(old)
      }
      const last = page.at(-1)
      if (last === undefined) break
      after = last.id
      pools += page.length
      onProgress(pools, this.swapCount)
    }
    await this.compareTotals()
    await this.readTokens()
    this.spans.compare(await listSlotSpans(this.connection), this.sinceSlot)
    await this.compareVenues()
    const { swaps, signatures } = this.swaps
    const { poolEvents, tokens, venues } = this
    const own = [swaps, signatures, this.pools, poolEvents, tokens, this.spans.comparison, venues]
    return [
      ...own.map((comparison) => comparison.report()),
      ...(await this.candles.end(this.notHeld === 0)),
    ]
  }

  /** First of all: swaps without a wallet or pool are in no list that is folded, and are missing from every sum. */
  private async findDangling(): Promise<void> {
    for (const { kind, ids, example } of await listDangling(this.connection)) {
      this.isDangling = true
      this.swaps.swaps.differ(`${kind}: no row for ${counted(ids, 'id')}, "${example}" among them`)
    }
  }

  private async foldPools(rows: readonly PoolNameRow[]): Promise<void> {
    const events = await listEventsOfPools(this.connection, rows)
    let state: PoolState | undefined
    for await (const { pool, rows: page, isLast } of scanPools(this.connection, rows, ALL_SLOTS)) {
      state ??= this.beginPool(pool, events.get(pool.id) ?? [])
      this.foldSwaps(state, page)
      if (isLast) {
        this.comparePool(pool, state)
        this.candles.endPool(state)
        state = undefined
      }
      if (this.waitingCount >= SWAPS_A_STEP) await this.compareFolded()
    }
    await this.compareFolded()
  }

  /** Pools that cannot be folded: of their stored swaps only times are compared. */
  private async readOld(pools: readonly PoolNameRow[]): Promise<void> {
    this.notHeld += pools.length
    const stored = { low: this.sinceSlot, high: SLOT_MAX }
    for await (const { rows } of scanPools(this.connection, pools, stored)) {
      for (const row of rows) this.spans.add(row)
      this.swapCount += rows.length
    }
  }

  private async compareFolded(): Promise<void> {
    this.waitingCount = 0
    await this.swaps.findSignatures()
    await this.candles.comparePools()
  }

  private beginPool(row: PoolNameRow, events: readonly StoredEvent[]): PoolState {
    const name = `${row.pair_address} ${row.token_address}`
    for (const event of events) {
      const text = JSON.stringify(event, stringifyBigint)
      this.poolEvents.row(name, text, text, name)
    }
    return poolWithEvents(row, events)
  }

  private foldSwaps(state: PoolState, page: readonly ScannedRow[]): void {
    const ordered = page.map((row) => ({ row, swap: swapOfRow(row) }))
    ordered.sort((a, b) => compareSwaps(a.swap, b.swap))
    for (const { row, swap } of ordered) {
      const accepted = applySwap(state, swap)
      this.candles.add(accepted)
      this.spans.add(row)
      this.swaps.compare(row, accepted)
    }
    this.swapCount += page.length
    this.waitingCount += page.length
  }

  private comparePool(row: PoolNameRow, state: PoolState): void {
    const { id: _, pair_address: pair, token_address: mint, ...stored } = row
    const folded = poolColumns([state])
      .slice(1)
      .map(([value]) => value)
    const byName = Object.fromEntries(
      UPDATED_POOL_COLUMNS.map((column, index) => [column, folded[index] ?? null]),
    )
    const text = (columns: Record<string, unknown>) =>
      UPDATED_POOL_COLUMNS.filter((column) => column !== VIRTUAL || columns[column] !== null)
        .map((column) => `${column}:${columns[column]}`)
        .join(' ')
    const name = `${pair} ${mint}`
    this.pools.row(name, text(stored), text(byName), name)
  }

  private async compareTotals(): Promise<void> {
    const { swaps, doubled } = await countSwaps(this.connection)
    if (swaps !== this.swapCount)
      this.swaps.swaps.differ(`${counted(swaps, 'row')}, ${this.swapCount} in pools`)
    if (doubled !== 0)
      this.swaps.swaps.differ(
        `stored more than once: ${counted(doubled, 'identity', 'identities')}`,
      )
    const [pending] = await countRepairs(this.connection)
    if (pending !== undefined && pending.repairs > 0) {
      this.swaps.swaps.differ(
        `still being corrected after a late migration: ${counted(pending.repairs, 'pool')}`,
      )
    }
  }

  /** Token lines are merged, not folded from swaps: their hash is for comparing installations, but for search keys. */
  private async readTokens(): Promise<void> {
    for (let after = ''; ; ) {
      const page = await listTokens(this.connection, [after, TOKENS_A_PAGE])
      for (const row of page) {
        const text = (columns: object) => JSON.stringify(columns, stringifyBigint)
        this.tokens.row(row.address, text(row), text({ ...row, ...searchKeysOf(row) }))
      }
      const last = page.at(-1)
      if (last === undefined) return
      after = last.address
    }
  }

  /** Summed by the database: pools come one by one, and minutes of all of them would be held to the end. */
  private async compareVenues(): Promise<void> {
    for await (const rows of venueVolumes(this.connection, this.fromMs)) {
      for (const { width, bucket_ms, dex, stored, folded } of rows) {
        this.venues.row(`${width} ${bucket_ms} ${dex}`, stored ?? 'absent', folded ?? 'absent')
      }
    }
  }
}

type TokenTexts = Record<'symbol' | 'name' | 'sector', string | null>

function searchKeysOf({ symbol, name, sector }: TokenTexts): Record<string, string | null> {
  const keyOf = (text: string | null) => (text === null ? null : storedSearchKey(text))
  return { symbol_key: keyOf(symbol), name_key: keyOf(name), sector_key: keyOf(sector) }
}

/** The columns of pool/update_pools, in its order, without the id. */
const UPDATED_POOL_COLUMNS = [
  'dex',
  'swap_count',
  'last_slot',
  'last_block_tx_index',
  'last_ix_index',
  'last_timestamp_ms',
  'last_is_buy',
  'last_signature',
  'last_user',
  'last_sol_amount',
  'last_token_amount',
  'last_sol_reserves',
  'last_token_reserves',
  'last_price_after',
  'corrected_pool_price',
  'migrated_at_ms',
  'migrated_from',
  'newest_ms',
  'last_price',
  'last_price_ms',
  'first_slot',
  'last_quote_decimals',
  'last_virtual_quote_reserves',
] as const

/** Absent from the hash of a pool where it is null: hashes are those of before it was stored. */
const VIRTUAL = 'last_virtual_quote_reserves'
