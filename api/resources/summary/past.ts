/** Reads PnL and open value of wallets as of a slot, as `read.ts` does those of now. */
import type { PnlMode } from '../../../domain/wallet/pnl-mode.ts'
import type { AsOfReading } from '../../routing/reading/as-of.ts'
import { pastWallets } from '../wallets/past.ts'
import { pastFigures, withPastPrices } from '../wallets/past-prices.ts'
import { pastStatement } from '../wallets/past-statement.ts'
import { type HighlightRow, type Summary, type SummaryRow, summaryOf } from './read.ts'

const listSummaries = pastStatement<SummaryRow>('summary/list_summaries', { isPlannedAnew: true })
const listHighlights = pastStatement<HighlightRow & { token_id: number }>('summary/list_highlights')

export async function readPastSummaries(
  past: AsOfReading,
  wallets: readonly string[],
): Promise<Summary[]> {
  const figures = await pastFigures(past, await pastWallets(past, wallets), 'open')
  return (await listSummaries(past, [wallets], figures)).map(summaryOf)
}

export async function readPastHighlights(
  past: AsOfReading,
  wallet: string,
  mode: PnlMode,
): Promise<HighlightRow[]> {
  const figures = await pastFigures(past, await pastWallets(past, [wallet]), 'open')
  const rows = await listHighlights(past, [wallet, mode], figures)
  return withPastPrices(past, rows, figures.priced)
}
