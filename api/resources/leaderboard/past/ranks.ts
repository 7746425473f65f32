/**
 * Ranks wallets as of a slot: the ranking of an installation that was fed every stored event up to it.
 *
 * Stored hours are those of then, but for hours that may hold swaps of later slots: of these, the positions that traded after the
 * slot are folded up to it, by the ledger's own arithmetic. Arbitrageurs are judged by the swaps up to the slot.
 * To be called in a snapshot.
 */
import { WalletFold } from '../../../../domain/ledger/wallet-fold.ts'
import { bucketOf, HOUR_MS } from '../../../../domain/time/time-bucket.ts'
import {
  type LeaderboardPeriod,
  lastMsOf,
  rankedHours,
} from '../../../../domain/wallet/leaderboard.ts'
import type { PnlMode } from '../../../../domain/wallet/pnl-mode.ts'
import { readEarliestTimeAfter } from '../../../../history/swaps/past.ts'
import { judgeArbitrageurs } from '../../../../history/swaps/wallets.ts'
import { int4Array, int8Array } from '../../../../sql/binary/arrays.ts'
import type { Queryable } from '../../../../sql/driver/queryable.ts'
import { query } from '../../../../sql/query.ts'
import { ApiError } from '../../../routing/error.ts'
import { ledgerSwaps } from '../../wallets/ledger-swaps.ts'
import type { RankRow } from '../read.ts'

type PastRanksWanted = {
  readonly period: LeaderboardPeriod
  readonly mode: PnlMode
  /** Whether arbitrageurs are left out. */
  readonly isHonest: boolean
  readonly limit: number
}
/** `latestMs`: of the latest swap up to the slot. */
type PastMoment = { readonly slot: number; readonly latestMs: number }

type PastRank = Omit<RankRow, 'is_kol'>
type FiguresRow = Omit<PastRank, 'rank'> & { wallet_id: number }
type ChangedRow = { wallet_id: number; user: string; token_ids: number[]; swap_count: number }

type Options = {
  /** Called with the wallets that have to be folded, and the swaps that these hold, before any is read. */
  readonly onCounted?: ((counted: { wallets: number; swaps: number }) => Promise<void>) | undefined
  /** Called with the number of wallets that are folded. */
  readonly onProgress?: ((wallets: number) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

const findRecomputed = query<{ is_waiting: boolean }>('leaderboard/find_recomputed')
const listChanged = query<ChangedRow>('leaderboard/list_changed_wallets', { isPlannedAnew: true })
const listSuspects = query<{ wallet_id: number }>('leaderboard/list_suspects', {
  isPlannedAnew: true,
})
const openRanks = query('leaderboard/open_past_ranks', { isPlannedAnew: true })
const fetchRanks = query<FiguresRow>('leaderboard/fetch_past_ranks')
const closeRanks = query('leaderboard/close_past_ranks')
const findSlotRange = query<{ low_slot: number; high_slot: number }>('swaps/find_slot_range')

/** At most `limit`, the first first. Rejects with ApiError while positions are recomputed, or with the signal's reason. */
export async function readPastRanks(
  db: Queryable,
  { slot, latestMs }: PastMoment,
  { period, mode, isHonest, limit }: PastRanksWanted,
  options: Options = {},
): Promise<PastRank[]> {
  const { ranked, judged } = rankedHours(period, latestMs)
  await expectFolded(db, slot)
  const openMs = await firstOpenHour(db, slot)
  const window = { fromMs: Math.max(ranked.fromMs, openMs), toMs: ranked.toMs, slot }
  const folded = await foldWindow(db, window, mode, options)
  await openRanks(db, [ranked.fromMs, ranked.toMs, mode, openMs, slot, ...columnsOf(folded)])
  try {
    const [slots] = await findSlotRange(db, [judged.fromMs, lastMsOf(judged)])
    const range = { low: slots?.low_slot ?? 0, high: Math.min(slots?.high_slot ?? 0, slot) }
    const ranks: FiguresRow[] = []
    while (ranks.length < limit) {
      options.signal?.throwIfAborted()
      const rows = await fetchRanks(db)
      if (rows.length === 0) break
      const left = isHonest ? await arbitrageursAmong(db, rows, judged, range) : new Set()
      ranks.push(...rows.filter(({ wallet_id }) => !left.has(wallet_id)))
    }
    return ranks
      .slice(0, limit)
      .map(({ wallet_id: _, ...figures }, index) => ({ rank: index + 1, ...figures }))
  } finally {
    await closeRanks(db)
  }
}

async function expectFolded(db: Queryable, slot: number): Promise<void> {
  const [found] = await findRecomputed(db, [slot])
  if (found?.is_waiting !== true) return
  throw new ApiError('UNAVAILABLE', `positions up to slot ${slot} are being recomputed: try again`)
}

/** The first hour that may hold swaps of later slots; above every hour where no swap is later. */
async function firstOpenHour(db: Queryable, slot: number): Promise<number> {
  const laterMs = await readEarliestTimeAfter(db, slot)
  return laterMs === null ? Number.MAX_SAFE_INTEGER : bucketOf(laterMs, HOUR_MS)
}

type Folded = {
  realized: bigint
  tradeCount: number
  coveredSellCount: number
  winCount: number
}
type Window = { readonly fromMs: number; readonly toMs: number; readonly slot: number }

/** Sums of the hours of a window by wallet id, of the positions that also have swaps after the slot. */
async function foldWindow(
  db: Queryable,
  { fromMs, toMs, slot }: Window,
  mode: PnlMode,
  { onCounted, onProgress, signal }: Options,
): Promise<Map<number, Folded>> {
  const sums = new Map<number, Folded>()
  if (fromMs > toMs) return sums
  const wallets = await listChanged(db, [fromMs, toMs, slot])
  const swaps = wallets.reduce((sum, { swap_count: count }) => sum + Number(count), 0)
  await onCounted?.({ wallets: wallets.length, swaps })
  for (const [index, { wallet_id: walletId, user, token_ids: tokenIds }] of wallets.entries()) {
    signal?.throwIfAborted()
    const fold = new WalletFold((_, hour) => {
      if (hour.hourMs < fromMs || hour.hourMs > toMs) return
      const sum = sums.get(walletId) ?? emptySums()
      sum.realized += realizedBy(mode, hour)
      sum.tradeCount += hour.buyCount + hour.sellCount
      sum.coveredSellCount += hour.coveredSellCount
      sum.winCount += hour.winCount
      sums.set(walletId, sum)
    })
    for await (const page of ledgerSwaps(db, { walletId, user, tokenIds, untilSlot: slot })) {
      for (const swap of page) fold.take(swap.tokenId, swap)
    }
    onProgress?.(index + 1)
  }
  return sums
}

const emptySums = (): Folded => ({ realized: 0n, tradeCount: 0, coveredSellCount: 0, winCount: 0 })

function realizedBy(
  mode: PnlMode,
  hour: { realizedRaw: bigint; realizedStrict: bigint; realizedAdjusted: bigint },
): bigint {
  if (mode === 'raw') return hour.realizedRaw
  return mode === 'strict' ? hour.realizedStrict : hour.realizedAdjusted
}

function columnsOf(folded: ReadonlyMap<number, Folded>): unknown[] {
  const sums = [...folded.values()]
  return [
    int4Array([...folded.keys()]),
    sums.map(({ realized }) => `${realized}`),
    int8Array(sums.map(({ tradeCount }) => tradeCount)),
    int8Array(sums.map(({ coveredSellCount }) => coveredSellCount)),
    int8Array(sums.map(({ winCount }) => winCount)),
  ]
}

async function arbitrageursAmong(
  db: Queryable,
  rows: readonly FiguresRow[],
  judged: { readonly fromMs: number; readonly toMs: number },
  slots: { readonly low: number; readonly high: number },
): Promise<ReadonlySet<number>> {
  const ids = int4Array(rows.map(({ wallet_id }) => wallet_id))
  const suspects = await listSuspects(db, [ids, judged.fromMs, judged.toMs])
  const suspected = suspects.map(({ wallet_id }) => wallet_id)
  return new Set(await judgeArbitrageurs(db, suspected, judged, slots))
}
