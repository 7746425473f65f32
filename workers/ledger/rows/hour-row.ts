/** Hourly figures of a position as rows of `position_hour`, in the order of its columns. */

import type { HourFigures, JudgedSell } from '../../../domain/ledger/hours.ts'
import type { CopyBuffer } from '../../../sql/binary/copy-writer.ts'

/** Named, because a later version may add columns next to this one. */
const NAMES = `
  wallet_id, hour_ms, token_id, segment, buy_count, sell_count, covered_sell_count, win_count,
  transaction_count, arbitrage_count, realized_strict, realized_adjusted, realized_raw,
  volume_lamports, best_lamports, best_slot, best_block_tx_index, best_ix_index, best_dex,
  worst_lamports, worst_slot, worst_block_tx_index, worst_ix_index, worst_dex
`
export const COPY_HOUR_STAGE = `copy position_hour_stage (${NAMES}) from stdin (format binary)`
export const COPY_HOURS = `copy position_hour (${NAMES}) from stdin (format binary)`

const COLUMNS = 24
const ROW_BYTES = 512

export function writeHourRow(
  rows: CopyBuffer,
  walletId: number,
  tokenId: number,
  figures: HourFigures,
): void {
  rows.row(COLUMNS, ROW_BYTES)
  rows.int4(walletId)
  rows.int8(figures.hourMs)
  rows.int4(tokenId)
  rows.int4(figures.segment)
  rows.int4(figures.buyCount)
  rows.int4(figures.sellCount)
  rows.int4(figures.coveredSellCount)
  rows.int4(figures.winCount)
  rows.int4(figures.transactionCount)
  rows.int4(figures.arbitrageCount)
  rows.numeric(figures.realizedStrict)
  rows.numeric(figures.realizedAdjusted)
  rows.numeric(figures.realizedRaw)
  rows.numeric(figures.volumeLamports)
  writeJudged(rows, figures.best)
  writeJudged(rows, figures.worst)
}

function writeJudged(rows: CopyBuffer, sell: JudgedSell | undefined): void {
  if (sell === undefined) {
    for (let column = 0; column < 5; column++) rows.null()
    return
  }
  const { orderKey } = sell
  rows.numeric(sell.realizedLamports)
  rows.int8(orderKey.slot)
  rows.int8(orderKey.blockTxIndex)
  rows.int4(orderKey.ixIndex)
  rows.int2(orderKey.dex)
}

/** A stored row: `figures` is its columns from buy_count on, as hourText() has them. */
export type HourRow = {
  wallet_id: number
  token_id: number
  hour_ms: number
  segment: number
  figures: string
}

/** The columns from buy_count on, with commas between. */
export function hourText(figures: HourFigures): string {
  return [
    figures.buyCount,
    figures.sellCount,
    figures.coveredSellCount,
    figures.winCount,
    figures.transactionCount,
    figures.arbitrageCount,
    figures.realizedStrict,
    figures.realizedAdjusted,
    figures.realizedRaw,
    figures.volumeLamports,
    ...judgedColumns(figures.best),
    ...judgedColumns(figures.worst),
  ].join()
}

function judgedColumns(sell: JudgedSell | undefined): (bigint | number | string)[] {
  if (sell === undefined) return ['', '', '', '', '']
  const { slot, blockTxIndex, ixIndex, dex } = sell.orderKey
  return [sell.realizedLamports, slot, blockTxIndex, ixIndex, dex]
}
