/** Reads a wallet's positions as of a slot, as `read.ts` does those of now. */
import type { PnlMode } from '../../../domain/wallet/pnl-mode.ts'
import type { AsOfReading } from '../../routing/reading/as-of.ts'
import { DaySums, noTrade } from '../wallet-days/sums.ts'
import { foldChanged, pastPairs, pastWallet, pastWallets } from '../wallets/past.ts'
import { type PricedBefore, pastFigures, withPastPrices } from '../wallets/past-prices.ts'
import { pastStatement } from '../wallets/past-statement.ts'
import type { DayFlow } from './performance.ts'
import {
  dayFlowOf,
  type Exposure,
  isPosition,
  listDays,
  NO_POSITIONS,
  type PageRow,
  type PositionFilter,
  type PositionPage,
  pageParameters,
  QUOTE_ADDRESSES,
} from './read.ts'

/** Up to the last day that a date can state, Unix ms. */
const ALL_DAYS = { fromMs: 0, toMs: 8_640_000_000_000_000 }

const listPositions = pastStatement<PageRow>('pnl/list_positions')
/** Position of one mint, planned as the statement of now. */
const findPosition = pastStatement<PageRow>('pnl/list_positions', { isPlannedAnew: true })
const readExposure = pastStatement<Exposure>('pnl/read_exposure')

export async function readPastPositions(
  past: AsOfReading,
  wallet: string,
  mode: PnlMode,
  filter: PositionFilter,
): Promise<PositionPage> {
  const { wallets, before, list } = await chosenBy(past, wallet, filter)
  if (wallets.length === 0) return NO_POSITIONS
  const figures = await pastFigures(past, wallets, before)
  const found = await list(past, pageParameters(wallet, mode, filter), figures)
  const [first] = found
  if (first === undefined) return NO_POSITIONS
  const rows = await withPastPrices(past, found.filter(isPosition), figures.priced)
  return { ...first, rows }
}

/** All positions, or that of one mint: others are not folded. */
async function chosenBy(past: AsOfReading, wallet: string, filter: PositionFilter) {
  const { mint, status, sort, min_value_sol: leastValue } = filter
  if (mint !== undefined) {
    const { wallets, tokenIds } = await pastPairs(past, [{ wallet, mint }])
    return { wallets, before: tokenIds, list: findPosition }
  }
  const isByPrice = sort !== 'realized' || leastValue !== undefined
  const before: PricedBefore = isByPrice ? status : 'none'
  return { wallets: await pastWallets(past, [wallet]), before, list: listPositions }
}

/** All days of the wallet with a trade up to the slot, oldest first. */
export async function readPastDays(
  past: AsOfReading,
  wallet: string,
  mode: PnlMode,
): Promise<DayFlow[]> {
  const found = await pastWallet(past, wallet)
  if (found === undefined) return []
  const rows = await listDays(past.db, [wallet, mode, found.changed])
  if (found.swaps === undefined) return rows.map(dayFlowOf)
  const days = new DaySums(mode, ALL_DAYS)
  await foldChanged(past, found, (tokenId, figures) => days.add(tokenId, figures))
  return days.with(rows.map((row) => ({ ...noTrade(row.day_ms), ...row }))).map(dayFlowOf)
}

/** Zeros for a wallet without a swap up to the slot. */
export async function readPastExposure(past: AsOfReading, wallet: string): Promise<Exposure> {
  const figures = await pastFigures(past, await pastWallets(past, [wallet]), 'open')
  const [found] = await readExposure(past, [wallet, QUOTE_ADDRESSES], figures)
  return found as Exposure
}
