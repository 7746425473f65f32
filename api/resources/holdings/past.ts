/** Reads what a wallet held as of a slot, by the ledger only: a balance provider has no past. */
import type { AsOfReading } from '../../routing/reading/as-of.ts'
import { pastSwapsOf, pastWallets } from '../wallets/past.ts'
import { pastFigures, withPastPrices } from '../wallets/past-prices.ts'
import { pastStatement } from '../wallets/past-statement.ts'
import { foldedLots, type HoldingsRead, holdingsOf, lotsOf, type OpenRow } from './read.ts'

const listOpen = pastStatement<OpenRow>('holdings/list_open')

export async function readPastHoldings(
  past: AsOfReading,
  user: string,
  dex: number | undefined,
): Promise<HoldingsRead> {
  const [wallet] = await pastWallets(past, [user])
  if (wallet === undefined) return { holdings: [], solUsd: null }
  // With a venue, all swaps of the wallet count towards the bound.
  const swaps = dex === undefined ? undefined : await pastSwapsOf(past, user)
  const figures = await pastFigures(past, [wallet], 'open')
  const rows = await listOpen(past, [wallet.walletId], figures)
  const completed = await withPastPrices(past, rows, figures.priced)
  if (swaps === undefined || dex === undefined) return holdingsOf(completed, lotsOf)
  return holdingsOf(completed, await foldedLots(past.db, { ...swaps, dex }))
}
