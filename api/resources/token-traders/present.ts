/** Traders and first buyers of a token as answers show them. Pure. */
import type { PnlMode } from '../../../domain/wallet/pnl-mode.ts'
import { presentOwned } from '../batches/present.ts'
import type { OwnedRow } from '../batches/read.ts'
import type { FirstBuyer, TraderPage } from './read.ts'
import type { FirstBuyerAnswer, FirstBuyersAnswer, TradersAnswer } from './schema.ts'
import { tradersCursor } from './traders-cursor.ts'

type TokenView = { token: string; pnl_mode: PnlMode }

export function presentTraders(
  { token, pnl_mode }: TokenView,
  { total, rows, next }: TraderPage,
): TradersAnswer {
  return {
    token,
    pnl_mode,
    total,
    traders: rows.map((row) => presentOwned(row, pnl_mode)),
    next_cursor: next === undefined ? null : tradersCursor(token, pnl_mode, next),
  }
}

export function presentFirstBuyers(
  { token, pnl_mode }: TokenView,
  buyers: readonly FirstBuyer[],
): FirstBuyersAnswer {
  return {
    token,
    pnl_mode,
    buyers: buyers.map(({ wallet, swap, isSniper, isInsider, row }, index) => ({
      place: index + 1,
      wallet,
      signature: swap.signature,
      slot: swap.slot,
      timestamp: swap.timestampMs,
      sol_amount: swap.solAmount,
      token_amount: swap.tokenAmount,
      is_sniper: isSniper,
      is_insider: isInsider,
      state: row === undefined ? null : stateOf(row),
      position: row === undefined ? null : presentOwned(row, pnl_mode),
    })),
  }
}

function stateOf({ balance, sell_count }: OwnedRow): FirstBuyerAnswer['state'] {
  if (BigInt(balance) === 0n) return 'sold_all'
  return sell_count === 0 ? 'holds_all' : 'sold_some'
}
