/** Orders of the rows of a table, as lists of row numbers. Pure. */
import { encodeBase58 } from '../../domain/numbers/base58.ts'
import type { Int64Column } from '../codec/columns/int64-column.ts'
import type { SwapColumns } from '../codec/columns/swap-columns.ts'
import type { Names } from './names.ts'

/** Canonical order (domain/events/swap.ts) of rows. */
export function canonicalOrder(table: SwapColumns, rows: Uint32Array, names: Names): Uint32Array {
  const { slot } = table.integers
  const order = groupedBy(rows, (row) => slot.near(row))
  const compare = (a: number, b: number): number => compareInSlot(table, names, a, b)
  for (let from = 0; from < order.length; ) {
    let until = from + 1
    const own = slot.near(order[from] as number)
    while (until < order.length && slot.near(order[until] as number) === own) until++
    if (until > from + 1) order.subarray(from, until).sort(compare)
    from = until
  }
  return order
}

/** The order of rows within a part of a segment, of those in canonical order: by pool. */
export function poolOrder(table: SwapColumns, canonical: Uint32Array): Uint32Array {
  const { low } = table.integers.pool_id
  return groupedBy(canonical, (row) => low[row] as number)
}

/** Rows by ascending key, those of one key as before. */
function groupedBy(rows: Uint32Array, keyOf: (row: number) => number): Uint32Array {
  const counts = new Map<number, number>()
  for (const row of rows) {
    const key = keyOf(row)
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  let next = 0
  const starts = new Map<number, number>()
  for (const key of Float64Array.from(counts.keys()).sort()) {
    starts.set(key, next)
    next += counts.get(key) as number
  }
  const order = new Uint32Array(rows.length)
  for (const row of rows) {
    const key = keyOf(row)
    const at = starts.get(key) as number
    order[at] = row
    starts.set(key, at + 1)
  }
  return order
}

function compareInSlot(table: SwapColumns, names: Names, a: number, b: number): number {
  const { block_tx_index, ix_index, dex, sol_amount, token_amount } = table.integers
  return (
    compareIn(block_tx_index, a, b) ||
    compareIn(ix_index, a, b) ||
    compareIn(dex, a, b) ||
    compareIn(table.isBuy, b, a) ||
    compareTexts(signatureText(table, a), signatureText(table, b)) ||
    compareTexts(pairText(table, names, a), pairText(table, names, b)) ||
    compareTexts(walletText(table, names, a), walletText(table, names, b)) ||
    compareIn(sol_amount, a, b) ||
    compareIn(token_amount, a, b)
  )
}

function compareIn({ high, low }: Int64Column, a: number, b: number): number {
  const difference = (high[a] as number) - (high[b] as number)
  return difference || ((low[a] as number) >>> 0) - ((low[b] as number) >>> 0)
}

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const signatureText = (table: SwapColumns, row: number): string =>
  encodeBase58(table.signature(row))

const pairText = ({ integers }: SwapColumns, names: Names, row: number): string =>
  names.pair(integers.pool_id.low[row] as number).text

const walletText = ({ integers }: SwapColumns, names: Names, row: number): string =>
  names.wallet(integers.wallet_id.low[row] as number).text
