/**
 * Reads of a wallet's figures: sums of stored hours, or, for one venue only, a fold of its swaps there.
 *
 * Hours store only the position of their best and worst sell; where several mints share one position, the swaps there
 * decide which is canonically the first.
 */

import type { Exact } from '../../../domain/amount.ts'
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
import { pastSwapsOf } from './past.ts'
import { WindowFigures } from './stats.ts'

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
  const [row] = await sumHours(db, [wallet.id, hours.firstMs, hours.lastMs])
  if (row === undefined) return undefined
  const best = await judgedMint(db, owner, hours, row, 'best')
  return { ...row, best_mint: best, worst_mint: await judgedMint(db, owner, hours, row, 'worst') }
}

/** The same as of a slot: undefined for a wallet without a swap up to it. */
export async function readPastStats(
  past: AsOfReading,
  { wallet: user, window, dex }: StatsWanted,
): Promise<StatsRow | undefined> {
  const [wanted, latestMs] = await Promise.all([pastSwapsOf(past, user), past.latestMs()])
  if (wanted === undefined || latestMs === null) return undefined
  const ofVenue = dex === undefined ? wanted : { ...wanted, dex }
  return foldHours(past.db, windowHours(window, latestMs), [ofVenue])
}

/** The mint of the canonically first among the best, or worst, sells of stored hours. */
async function judgedMint(
  db: Queryable,
  owner: Owner,
  hours: WindowHours,
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
  return (await foldWindow(db, hours, wanted))[`${kind}_mint`]
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
