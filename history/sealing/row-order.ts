/** Orders of rows that are sealed. Pure. */
import type { Int64 } from '../../domain/amount.ts'
import type { NamedRow } from './named-row.ts'

const order = (a: string | Int64, b: string | Int64): number => (a < b ? -1 : a > b ? 1 : 0)

type Placed = Pick<NamedRow, 'sealed' | 'signature' | 'pair' | 'wallet'>

/** Canonical order (domain/events/swap.ts). */
export function compareCanonically(a: Placed, b: Placed): number {
  const [one, other] = [a.sealed, b.sealed]
  return (
    one.slot - other.slot ||
    one.block_tx_index - other.block_tx_index ||
    one.ix_index - other.ix_index ||
    one.dex - other.dex ||
    Number(other.is_buy) - Number(one.is_buy) ||
    order(a.signature, b.signature) ||
    order(a.pair.text, b.pair.text) ||
    order(a.wallet.text, b.wallet.text) ||
    order(one.sol_amount, other.sol_amount) ||
    order(one.token_amount, other.token_amount)
  )
}

/** The order of rows within a slice of a segment. */
export function compareInSlice(a: NamedRow, b: NamedRow): number {
  return a.sealed.pool_id - b.sealed.pool_id || compareCanonically(a, b)
}
