/**
 * Verifies the tables of one UTC day that follow from its swaps, and from the swap before it in each pool.
 *
 * ```
 *   slots      low ......|............ swaps of the day ............|...... high
 *   folded     [ from the state after the swap before `low`, pool by pool      ]
 *   compared   runs of slots  |   swaps, signatures, candles, volumes   |  runs of slots
 * ```
 * Times follow slots only roughly, so the slots reach one run beyond the day at both ends. A swap belongs to the day of its
 * time: each is compared in one day. Tables that follow from all history are no part of a day (NOT_BY_DAY).
 *
 * Decision: docs/decisions/0117-days-are-verified-from-the-swap-before.md
 */
import { type SwapRow, swapOfRow } from '../../../domain/events/stored-row.ts'
import { compareSwaps } from '../../../domain/events/swap.ts'
import { counted } from '../../../domain/text/plural.ts'
import { DAY_MS, MINUTE_MS, QUARTER_MS } from '../../../domain/time/time-bucket.ts'
import { storedSince } from '../../../history/sealed/find/stored.ts'
import { listNeighbours } from '../../../history/swaps/pools.ts'
import { type ScannedRow, scanPools } from '../../../history/swaps/scan/pools.ts'
import { sumSwaps } from '../../../history/swaps/scan/sums.ts'
import { rowsOfTransaction } from '../../../history/swaps/signatures.ts'
import type { Connection } from '../../../sql/db.ts'
import { query } from '../../../sql/query.ts'
import { applySwap } from '../../pool/pool.ts'
import type { PoolState } from '../../pool/pool-state.ts'
import { VenueVolumeFold } from '../../pool/venue-volume.ts'
import { CandleVerification, type DayTimes } from '../candles.ts'
import { Comparison, type TableReport } from '../comparison.ts'
import { listEventsOfPools, type PoolName, poolWithEvents } from '../pool-events.ts'
import { SpanComparison, type SpanRow } from '../spans.ts'
import { SwapComparison } from '../swaps.ts'

/** Tables that only a verification of everything compares. */
export const NOT_BY_DAY =
  'pool, pool_event, token, the widest runs of slot_span, positions, rankings, sandwiches'

type DayPool = PoolName & { swap_count: number }
type VolumeRow = {
  width: number
  bucket_ms: number
  dex: number
  trade_count: string
  volume_lamports: string
}
const findSlotRange = query<{ low_slot: number; high_slot: number }>('swaps/find_slot_range')
const listPools = query<DayPool>('verify/list_day_pools')
const listSpans = query<SpanRow>('verify/list_slot_spans_between')
const listVolumes = query<VolumeRow>('verify/list_venue_volumes')

/** Widths of runs of slots that a day has several of. */
const SPAN_WIDTHS = [100, 10_000]
const RUN_SLOTS = 10_000
const VENUE_WIDTHS = [MINUTE_MS, QUARTER_MS]

const POOLS_A_PAGE = 1_000
/** Pools whose stored rows are read at once, fewer where they have so many swaps. */
const POOLS_A_STEP = 100
const SWAPS_A_STEP = 20_000

/** Count and hash of a day's swaps: a change of any of them changes the hash. */
export type DaySum = { readonly swaps: number; readonly contentHash: string }
/** A day and its slots, whole runs. */
type DayRange = DayTimes & { readonly low: number; readonly high: number }

const dayTimes = (fromMs: number): DayTimes => ({ fromMs, toMs: fromMs + DAY_MS - 1 })

async function rangeOf(connection: Connection, fromMs: number): Promise<DayRange> {
  const times = dayTimes(fromMs)
  const [slots] = await findSlotRange(connection, [times.fromMs, times.toMs])
  if (slots === undefined) return { ...times, low: 0, high: -1 }
  const runOf = (slot: number) => Math.floor(slot / RUN_SLOTS) * RUN_SLOTS
  return {
    ...times,
    // The day has no dropped swaps, and the run before it may have.
    low: Math.max(runOf(slots.low_slot) - RUN_SLOTS, (await storedSince(connection))?.slot ?? 0),
    high: runOf(slots.high_slot) + 2 * RUN_SLOTS - 1,
  }
}

/** Reads in the snapshot of `connection`. `fromMs`: the day's first Unix ms. */
export async function sumDay(connection: Connection, fromMs: number): Promise<DaySum> {
  const { swaps, content_hash: hash } = await sumSwaps(
    connection,
    await rangeOf(connection, fromMs),
  )
  return { swaps, contentHash: hash }
}

/** Reads in the snapshot of `connection`. `sum`: of the same snapshot. */
export async function verifyDay(
  connection: Connection,
  fromMs: number,
  sum: DaySum,
): Promise<TableReport[]> {
  const range = await rangeOf(connection, fromMs)
  const verification = new DayVerification(connection, range)
  await verification.foldPools([range.low, range.high])
  if (verification.swapCount === sum.swaps) return verification.report(sum)
  // A pool's row may name wrong slots: then the pools of all slots are read.
  const whole = new DayVerification(connection, range)
  await whole.foldPools([null, null])
  return whole.report(sum)
}

class DayVerification {
  swapCount = 0
  private readonly connection: Connection
  private readonly range: DayRange
  private readonly swaps: SwapComparison
  private readonly candles: CandleVerification
  private readonly spans = new SpanComparison(SPAN_WIDTHS)
  private readonly volumes = new VenueVolumeFold()
  private waitingCount = 0

  constructor(connection: Connection, range: DayRange) {
    this.connection = connection
    this.range = range
    this.swaps = new SwapComparison(connection)
    this.candles = new CandleVerification(connection, range)
  }

  /** Folds the pools that may have swaps in the slots, or all. */
  async foldPools(slots: readonly [number, number] | readonly [null, null]): Promise<void> {
    for (let after = 0; ; ) {
      const page = await listPools(this.connection, [after, POOLS_A_PAGE, ...slots])
      for (let from = 0; from < page.length; from += POOLS_A_STEP) {
        await this.foldStep(page.slice(from, from + POOLS_A_STEP))
      }
      const last = page.at(-1)
      if (last === undefined) return
      after = last.id
    }
  }

  private async foldStep(pools: readonly DayPool[]): Promise<void> {
    const events = await listEventsOfPools(this.connection, pools)
    const before = await this.swapsBefore(pools)
    const begin = (pool: DayPool) => {
      const state = poolWithEvents(pool, events.get(pool.id) ?? [])
      const known = (before.get(pool.id) ?? []).map(swapOfRow).sort(compareSwaps)
      for (const swap of known) applySwap(state, swap)
      return { state, copies: new CopySearch() }
    }
    let open: ReturnType<typeof begin> | undefined
    for await (const { pool, rows, isLast } of scanPools(this.connection, pools, this.range)) {
      open ??= begin(pool)
      const { state, copies } = open
      this.foldSwaps(state, rows, copies)
      if (isLast) {
        for (const copy of await copies.find(this.connection, pool.id)) {
          this.swaps.swaps.differ(copy)
        }
        this.candles.endPool(state)
        open = undefined
      }
      if (this.waitingCount >= SWAPS_A_STEP) await this.compareFolded()
    }
    await this.compareFolded()
  }

  /** The newest swaps of pools before the first slot, all at one position. */
  private async swapsBefore(pools: readonly PoolName[]): Promise<Map<number, SwapRow[]>> {
    const begin = { slot: this.range.low, blockTxIndex: -1, ixIndex: -1 }
    const positions = pools.map(({ id }) => ({ poolId: id, ...begin }))
    const rows = await listNeighbours(this.connection, positions)
    return Map.groupBy(
      rows.filter(({ side }) => side === 'below'),
      (row) => row.pool_id,
    )
  }

  private async compareFolded(): Promise<void> {
    this.waitingCount = 0
    await this.swaps.findSignatures()
    await this.candles.comparePools()
  }

  private foldSwaps(state: PoolState, page: readonly ScannedRow[], copies: CopySearch): void {
    const { fromMs, toMs } = this.range
    const ordered = page.map((row) => ({ row, swap: swapOfRow(row) }))
    ordered.sort((a, b) => compareSwaps(a.swap, b.swap))
    for (const { row, swap } of ordered) {
      const accepted = applySwap(state, swap)
      this.spans.add(row)
      if (row.timestamp_ms < fromMs || row.timestamp_ms > toMs) continue
      this.swapCount += 1
      copies.add(row)
      this.candles.add(accepted)
      this.volumes.add(swap)
      this.swaps.compare(row, accepted)
    }
    this.waitingCount += page.length
  }

  async report({ swaps }: DaySum): Promise<TableReport[]> {
    if (swaps !== this.swapCount) {
      this.swaps.swaps.differ(`${counted(swaps, 'row')}, ${this.swapCount} in pools`)
    }
    const { connection, range } = this
    const spans = await listSpans(connection, [SPAN_WIDTHS, range.low, range.high])
    this.spans.compare(spans, range.low)
    const venues = await this.compareVolumes()
    const own = [this.swaps.swaps, this.swaps.signatures, this.spans.comparison, venues]
    return [...own.map((comparison) => comparison.report()), ...(await this.candles.end())]
  }

  private async compareVolumes(): Promise<Comparison> {
    const comparison = new Comparison('venue_volume')
    const { fromMs, toMs } = this.range
    const keyOf = (width: number, bucketMs: number, dex: number) => `${width} ${bucketMs} ${dex}`
    const folded = new Map(
      this.volumes
        .sorted()
        .map((row) => [
          keyOf(row.width, row.bucketMs, row.dex),
          `${row.tradeCount} ${row.volumeLamports}`,
        ]),
    )
    for (const row of await listVolumes(this.connection, [VENUE_WIDTHS, fromMs, toMs])) {
      const key = keyOf(row.width, row.bucket_ms, row.dex)
      const stored = `${row.trade_count} ${row.volume_lamports}`
      comparison.row(key, stored, folded.get(key) ?? 'absent')
      folded.delete(key)
    }
    for (const [key, text] of folded) comparison.row(key, 'absent', text)
    return comparison
  }
}

/** Finds swaps of a pool that are stored more than once. */
class CopySearch {
  private readonly signatures = new Set<string>()
  /** Signatures that occur again at another place than the swap before. */
  private readonly repeated = new Set<string>()
  private last: SwapRow | undefined

  add(row: SwapRow): void {
    const { last } = this
    const isSame = last !== undefined && isSameTransaction(last, row)
    if (isSame ? identityOf(last) === identityOf(row) : this.signatures.has(row.signature)) {
      this.repeated.add(row.signature)
    }
    this.signatures.add(row.signature)
    this.last = row
  }

  /** A text for each identity of the pool that is stored more than once. */
  async find(connection: Connection, poolId: number): Promise<string[]> {
    const found: string[] = []
    for (const signature of this.repeated) {
      const rows = await rowsOfTransaction(connection, signature)
      const own = rows.filter((row) => row.pool_id === poolId)
      for (const copies of Map.groupBy(own, identityOf).values()) {
        if (copies.length > 1) found.push(`${signature}: stored ${copies.length} times`)
      }
    }
    return found
  }
}

const isSameTransaction = (a: SwapRow, b: SwapRow): boolean =>
  a.signature === b.signature && a.slot === b.slot && a.block_tx_index === b.block_tx_index

const identityOf = (row: SwapRow): string =>
  [row.dex, row.ix_index, row.user_address, row.is_buy, row.sol_amount, row.token_amount].join()
