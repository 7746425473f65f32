/**
 * Reads of what a wallet holds: the mints of the balance provider, or the open positions, each with its
 * lots and its price.
 *
 * With `dex` the lots are those of a fold of that venue's swaps only; which tokens there are and how many
 * is not touched by it.
 */

import type { TokenBalance } from '../../../chain/accounts/token-account.ts'
import type { Exact } from '../../../domain/amount.ts'
import { WalletFold } from '../../../domain/ledger/wallet-fold.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import { inSnapshot } from '../../../sql/snapshot.ts'
import { ledgerSwaps, type SwapsWanted } from '../wallets/ledger-swaps.ts'
import type { HeldLots, Holding } from './holding.ts'

type HoldingsWanted = {
  wallet: string
  /** On-chain balances; undefined: holdings come from swaps only. */
  held: readonly TokenBalance[] | undefined
  dex: number | undefined
}
export type HoldingsRead = {
  holdings: Holding[]
  /** US dollars a SOL. */
  solUsd: number | null
}

type KnownRow = {
  mint: string
  token_id: number
  balance: Exact
  lots_cost: Exact
  price: number | null
  price_is_stale: boolean
  sol_usd: number | null
}
export type OpenRow = KnownRow & { decimals: number }
type LotsOf = (row: KnownRow) => HeldLots
/** Decimals of the newest swap; null before the first. */
type MintRow = KnownRow & { decimals: number | null }

const findWallet = query<{ id: number }>('swaps/find_wallet')
const listOpen = query<OpenRow>('holdings/list_open')
const listMints = query<MintRow>('holdings/list_mints')

const NO_LOTS: HeldLots = { balance: 0n, cost: 0n }

export async function readHoldings(
  db: Queryable,
  { wallet: user, held, dex }: HoldingsWanted,
): Promise<HoldingsRead> {
  const [wallet] = await findWallet(db, [user])
  const walletId = wallet?.id
  if (dex === undefined || walletId === undefined) return readTokens(db, walletId, held, lotsOf)
  return await inSnapshot(db, async () => {
    const lots = await foldedLots(db, { walletId, user, dex })
    return await readTokens(db, walletId, held, lots)
  })
}

/** Lots by a fold of the swaps. */
export async function foldedLots(db: Queryable, wanted: SwapsWanted): Promise<LotsOf> {
  const fold = new WalletFold()
  for await (const swaps of ledgerSwaps(db, wanted)) {
    for (const swap of swaps) fold.take(swap.tokenId, swap)
  }
  return ({ token_id: id }) => {
    const lots = fold.open.get(id)?.lots
    return lots === undefined ? NO_LOTS : { balance: lots.quantity, cost: lots.cost }
  }
}

async function readTokens(
  db: Queryable,
  walletId: number | undefined,
  held: readonly TokenBalance[] | undefined,
  lots: LotsOf,
): Promise<HoldingsRead> {
  if (held === undefined) {
    return holdingsOf(walletId === undefined ? [] : await listOpen(db, [walletId]), lots)
  }
  const rows = await listMints(db, [walletId ?? null, held.map(({ mint }) => mint)])
  const known = new Map(rows.map((row) => [row.mint, row]))
  const holdings = held.map(({ mint, quantity, decimals }) => {
    const row = known.get(mint)
    return {
      mint,
      quantity,
      // The decimals of swaps come first, those of the chain where there is no swap: the price is computed with the
      // former.
      decimals: row?.decimals ?? decimals,
      lots: row === undefined ? NO_LOTS : lots(row),
      price: row?.price ?? null,
      priceIsStale: row?.price_is_stale ?? true,
    }
  })
  return { holdings, solUsd: rows[0]?.sol_usd ?? null }
}

/** Holdings by the ledger. */
export function holdingsOf(rows: readonly OpenRow[], lots: LotsOf): HoldingsRead {
  const holdings = rows.map((row) => ({
    mint: row.mint,
    quantity: BigInt(row.balance),
    decimals: row.decimals,
    lots: lots(row),
    price: row.price,
    priceIsStale: row.price_is_stale,
  }))
  return { holdings, solUsd: rows[0]?.sol_usd ?? null }
}

/** Lots by the ledger. */
export function lotsOf({ balance, lots_cost }: KnownRow): HeldLots {
  return { balance: BigInt(balance), cost: BigInt(lots_cost) }
}
