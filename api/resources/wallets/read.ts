/**
 * Reads of a wallet's figures: sums of stored hours, or, for one venue only, a fold of its swaps there.
 *
 * Hours store only the position of their best and worst sell; where several mints share one position, the swaps there
 * decide which is canonically the first.
 */

import type { Exact } from '../../../domain/amount.ts'
import { compareChainPositions } from '../../../domain/events/swap.ts'
import { WalletFold } from '../../../domain/ledger/wallet-fold.ts'
import {
  type WalletWindow,
  type WindowHours,
  windowEndMs,
  windowHours,
} from '../../../domain/time/wallet-window.ts'
import { findTiedMint } from '../../../history/swaps/wallets.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import { inSnapshot } from '../../../sql/snapshot.ts'
import type { AsOfReading } from '../../routing/reading/as-of.ts'
import { ledgerSwaps, type SwapsWanted } from './ledger-swaps.ts'
import { foldChanged, pastSwapsOf, pastWallet } from './past.ts'
import { type JudgedTrade, WindowFigures } from './stats.ts'

/** A window's figures; best and worst are null without a covered sell. */
export type StatsRow = {
  trade_count: number
  covered_sell_count: number
  win_count: number
  volume_lamports: Exact
  best_lamports: Exact | null
  best_mint: string | null
  worst_lamports: Exact | null
  worst_mint: string | null
}
/** The same from stored hours, with the positions of best and worst, and all mints with an equal sell there. */
type SummedRow = StatsRow & Judged<'best'> & Judged<'worst'>
type Judged<Kind extends 'best' | 'worst'> = Record<`${Kind}_token_ids`, number[] | null> &
  Record<`${Kind}_${(typeof ORDER_FIELDS)[number]}`, number | null>
const ORDER_FIELDS = ['slot', 'block_tx_index', 'ix_index', 'dex'] as const
type Owner = Pick<SwapsWanted, 'walletId' | 'user'>
type StatsWanted = { wallet: string; window: WalletWindow; dex?: number }

const findWallet = query<{ id: number; newest_ms: number | null }>('wallets/find_wallet')
const sumHours = query<SummedRow>('wallets/sum_hours')
const listMints = query<{ id: number; mint: string }>('wallets/list_mints')

/** Undefined for a wallet without an indexed swap. */
export async function readStats(
  db: Queryable,
  { wallet: user, window, dex }: StatsWanted,
): Promise<StatsRow | undefined> {
  const [wallet] = await findWallet(db, [user])
  if (wallet === undefined) return undefined
  const owner = { walletId: wallet.id, user }
  const hours = windowHours(window, wallet.newest_ms ?? 0)
  if (dex !== undefined) return foldWindow(db, hours, [{ ...owner, dex }])
  const [row] = await sumHours(db, [wallet.id, hours.firstMs, hours.lastMs, null])
  if (row === undefined) return undefined
  const fold = (wanted: readonly SwapsWanted[]) => foldWindow(db, hours, wanted)
  return withMints({ db, owner, hours, fold }, row)
}

/** The same as of a slot: undefined for a wallet without a swap up to it. */
export async function readPastStats(
  past: AsOfReading,
  { wallet: user, window, dex }: StatsWanted,
): Promise<StatsRow | undefined> {
  const { db } = past
  if (dex !== undefined) {
    const [wanted, latestMs] = await Promise.all([pastSwapsOf(past, user), past.latestMs()])
    if (wanted === undefined || latestMs === null) return undefined
    return foldHours(db, windowHours(window, latestMs), [{ ...wanted, dex }])
  }
  const [wallet, latestMs] = await Promise.all([pastWallet(past, user), past.latestMs()])
  if (wallet === undefined || latestMs === null) return undefined
  const hours = windowHours(window, latestMs)
  const { walletId, changed } = wallet
  const [row] = await sumHours(db, [walletId, hours.firstMs, hours.lastMs, changed])
  if (row === undefined) return undefined
  const fold = (wanted: readonly SwapsWanted[]) => foldHours(db, hours, wanted)
  const figures = new WindowFigures(hours)
  await foldChanged(past, wallet, (tokenId, hour) => figures.add(tokenId, hour))
  const best = chosen(row, 'best', figures.best)
  const worst = chosen(row, 'worst', figures.worst)
  if (best === 'tied' || worst === 'tied') {
    const wanted = await pastSwapsOf(past, user)
    return wanted && foldHours(db, hours, [wanted])
  }
  const stored = await withMints({ db, owner: { walletId, user }, hours, fold }, row)
  const folded = await rowOf(db, figures)
  const [judged, other] = [
    best === 'stored' ? stored : folded,
    worst === 'stored' ? stored : folded,
  ]
  return {
    trade_count: stored.trade_count + folded.trade_count,
    covered_sell_count: stored.covered_sell_count + folded.covered_sell_count,
    win_count: stored.win_count + folded.win_count,
    volume_lamports: BigInt(stored.volume_lamports) + BigInt(folded.volume_lamports),
    ...{ best_lamports: judged.best_lamports, best_mint: judged.best_mint },
    ...{ worst_lamports: other.worst_lamports, worst_mint: other.worst_mint },
  }
}

/** Compares the best, or worst, sells; tied: two at one position, of which the swaps decide. */
function chosen(
  stored: SummedRow,
  kind: 'best' | 'worst',
  folded: JudgedTrade | undefined,
): 'stored' | 'folded' | 'tied' {
  const lamports = stored[`${kind}_lamports`]
  if (folded === undefined) return 'stored'
  if (lamports === null) return 'folded'
  const [own, its] = [BigInt(lamports), folded.realizedLamports]
  if (own !== its) return own > its === (kind === 'best') ? 'stored' : 'folded'
  const [slot, blockTxIndex, ixIndex, dex] = ORDER_FIELDS.map((name) =>
    Number(stored[`${kind}_${name}`]),
  ) as [number, number, number, number]
  const { orderKey } = folded
  const order =
    compareChainPositions({ slot, blockTxIndex, ixIndex }, orderKey) || dex - orderKey.dex
  if (order === 0) return 'tied'
  return order < 0 ? 'stored' : 'folded'
}

/** A read of stored hours; `fold`: of the swaps of some mints in these hours. */
type HoursRead = {
  db: Queryable
  owner: Owner
  hours: WindowHours
  fold: (wanted: readonly SwapsWanted[]) => Promise<StatsRow>
}

async function withMints(read: HoursRead, row: SummedRow): Promise<SummedRow> {
  const best = await judgedMint(read, row, 'best')
  return { ...row, best_mint: best, worst_mint: await judgedMint(read, row, 'worst') }
}

/** The mint of the canonically first among the best, or worst, sells of stored hours. */
async function judgedMint(
  { db, owner, hours, fold }: HoursRead,
  row: SummedRow,
  kind: 'best' | 'worst',
): Promise<string | null> {
  const ids = row[`${kind}_token_ids`]
  if (ids === null || ids.length === 1) return row[`${kind}_mint`]
  const tied = await findTiedMint(db, {
    walletId: owner.walletId,
    tokenIds: ids,
    position: ORDER_FIELDS.map((name) => row[`${kind}_${name}`]),
    fromMs: hours.firstMs,
    endMs: windowEndMs(hours),
  })
  if (tied !== undefined && tied.sell_count === ids.length) return tied.mint
  // A mint was sold there more than once: which of its sells is the best is known to the fold only.
  const wanted = ids.map((tokenId) => ({ ...owner, tokenIds: [tokenId] }))
  return (await fold(wanted))[`${kind}_mint`]
}

async function foldWindow(
  db: Queryable,
  hours: WindowHours,
  wanted: readonly SwapsWanted[],
): Promise<StatsRow> {
  return inSnapshot(db, () => foldHours(db, hours, wanted))
}

/** In a snapshot. */
async function foldHours(
  db: Queryable,
  hours: WindowHours,
  wanted: readonly SwapsWanted[],
): Promise<StatsRow> {
  const figures = new WindowFigures(hours)
  const fold = new WalletFold((tokenId, hour) => figures.add(tokenId, hour))
  for (const each of wanted) {
    for await (const swaps of ledgerSwaps(db, each)) {
      for (const swap of swaps) fold.take(swap.tokenId, swap)
    }
  }
  return rowOf(db, figures)
}

async function rowOf(db: Queryable, figures: WindowFigures): Promise<StatsRow> {
  const { best, worst } = figures
  const ids = [best, worst].flatMap((trade) => trade?.tokenId ?? [])
  const rows = ids.length === 0 ? [] : await listMints(db, [ids])
  const mints = new Map(rows.map(({ id, mint }) => [id, mint]))
  return {
    trade_count: figures.tradeCount,
    covered_sell_count: figures.coveredSellCount,
    win_count: figures.winCount,
    volume_lamports: figures.volumeLamports,
    best_lamports: best?.realizedLamports ?? null,
    best_mint: (best && mints.get(best.tokenId)) ?? null,
    worst_lamports: worst?.realizedLamports ?? null,
    worst_mint: (worst && mints.get(worst.tokenId)) ?? null,
  }
}
