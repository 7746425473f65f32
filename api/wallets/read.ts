/**
 * Reads of a wallet's figures: sums of stored hours, or, for one venue alone, a fold of its swaps there.
 */
import type { Queryable } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { inSnapshot } from '../../sql/snapshot.ts'
import type { Exact } from '../../streams/amount.ts'
import { WalletFold } from '../../streams/ledger/wallet-fold.ts'
import { firstHourMs, type WalletWindow } from '../../streams/wallet-window.ts'
import { ledgerSwaps } from '../ledger-swaps.ts'
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
export type StatsWanted = { wallet: string; window: WalletWindow; dex?: number }

const findWallet = query<{ id: number; newest_ms: number | null }>('wallets/find_wallet')
const sumHours = query<StatsRow>('wallets/sum_hours')
const listMints = query<{ id: number; mint: string }>('wallets/list_mints')

/** Undefined for a wallet without an indexed swap. */
export async function readStats(
  db: Queryable,
  { wallet: user, window, dex }: StatsWanted,
): Promise<StatsRow | undefined> {
  const [wallet] = await findWallet(db, [user])
  if (wallet === undefined) return undefined
  const fromMs = firstHourMs(window, wallet.newest_ms ?? 0)
  if (dex === undefined) return (await sumHours(db, [wallet.id, fromMs]))[0]
  const figures = new WindowFigures(fromMs)
  const fold = new WalletFold((tokenId, hour) => figures.add(tokenId, hour))
  await inSnapshot(db, async () => {
    for await (const swaps of ledgerSwaps(db, { walletId: wallet.id, user, dex })) {
      for (const swap of swaps) fold.take(swap.tokenId, swap)
    }
  })
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
