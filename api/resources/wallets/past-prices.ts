/**
 * Prices as of a slot for the statements of positions, which read those of unchanged pools by themselves. Of the others, prices of
 * tokens by which a statement chooses or orders its rows are looked up before it runs, of those of its rows only after it. A wallet
 * may have traded thousands of tokens.
 * Decision: docs/decisions/0126-unchanged-prices-are-read-as-now.md
 */
import { listPastDecimals } from '../../../history/swaps/tokens.ts'
import { query } from '../../../sql/query.ts'
import type { AsOfReading } from '../../routing/reading/as-of.ts'
import { changedPrices, type PastPrice, pastPrices, pastRate } from '../past-market/prices.ts'
import { type FoldedPosition, foldWallets, type PastWallet } from './past.ts'
import type { PastFigures } from './past-statement.ts'

/** The positions whose tokens are priced before a statement runs; or these tokens. */
export type PricedBefore = 'open' | 'closed' | 'all' | 'none' | readonly number[]
/** `priced`: the tokens whose prices were looked up. */
type WalletFigures = PastFigures & { readonly priced: readonly number[] }

const listHeld = query<{ is_open: boolean; token_ids: number[] }>('as-of/list_held')

/** The figures of the wallets that statements read, as of the slot. */
export async function pastFigures(
  past: AsOfReading,
  wallets: readonly PastWallet[],
  before: PricedBefore,
): Promise<WalletFigures> {
  const folded = await foldWallets(past, wallets)
  const priced = await tokensOf(past, wallets, folded, before)
  const [prices, rate, latestMs] = await Promise.all([
    changedPrices(past, priced),
    pastRate(past),
    past.latestMs(),
  ])
  return { folded, priced, prices, rate, latestMs }
}

/** Tokens of positions at the slot that may have other prices now, each once. */
async function tokensOf(
  { db, slot }: AsOfReading,
  wallets: readonly PastWallet[],
  folded: readonly FoldedPosition[],
  before: PricedBefore,
): Promise<readonly number[]> {
  if (before === 'none') return []
  if (typeof before === 'object') return before
  const rows = await listHeld(db, [wallets.map(({ walletId }) => walletId), slot])
  const isWanted = (isOpen: boolean) => before === 'all' || isOpen === (before === 'open')
  const stored = rows.filter((row) => isWanted(row.is_open)).flatMap((row) => row.token_ids)
  const own = folded.filter(({ state }) => isWanted(state.balance > 0n))
  return [...new Set([...stored, ...own.map(({ tokenId }) => tokenId)])]
}

type PricedRow = { token_id: number; price: number | null; decimals: number | null }

/** The rows with the prices and decimals that they lack; tokens of `priced` have no other price than they got. */
export async function withPastPrices<Row extends PricedRow>(
  past: AsOfReading,
  rows: readonly Row[],
  priced: readonly number[],
): Promise<(Row & { decimals: number })[]> {
  const known = new Set(priced)
  const lacking = rows.filter((row) => row.price === null).map((row) => row.token_id)
  const late = [...new Set(lacking)].filter((id) => !known.has(id))
  const found = late.length === 0 ? [] : await pastPrices(past, late)
  const prices = new Map<number, PastPrice>(found.map((price) => [price.token_id, price]))
  const unpriced = [...new Set(lacking)].filter((id) => !prices.has(id))
  const decimals =
    unpriced.length === 0
      ? new Map<number, number>()
      : await listPastDecimals(past.db, unpriced, past.slot)
  return rows.map((row) => {
    const own = prices.get(row.token_id)
    return {
      ...row,
      price: row.price ?? own?.price ?? null,
      decimals: row.decimals ?? own?.decimals ?? decimals.get(row.token_id) ?? 0,
    }
  })
}
