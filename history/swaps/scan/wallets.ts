/**
 * Reads all stored swaps by wallet, as the ledger folds them, within a snapshot. Rows of a wallet are in any block, so sealed
 * history is decoded once and its rows sorted in memory; where they are too many, once for each range of wallets that fits.
 */
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import { scanBlocks } from '../../sealed/scan/blocks.ts'
import { type WalletRow, WalletRows } from '../../sealed/scan/wallet-rows.ts'
import { readSealed, type Sealed } from '../../sealed/state.ts'

type WalletRange = { readonly from: number; readonly to: number }

/** Swaps in memory at once: 140 bytes each. */
const RANGE_SWAPS = 1_000_000
/** Runs of wallets whose swaps are counted. */
const RUNS = 65_536
const PAGE_SWAPS = 10_000

const listSwaps = query<WalletRow>('swap-history/list_swaps_of_wallets')
const countSwaps = query<{ run: number; swaps: number }>('swap-history/count_swaps_of_runs')

/** Pages of the swaps of wallets up to an id, by wallet and slot; whole wallets. `rangeSwaps`: swaps in memory at once. */
export async function* scanWallets(
  db: Queryable,
  lastWalletId: number,
  rangeSwaps = RANGE_SWAPS,
): AsyncGenerator<WalletRow[]> {
  const sealed = await readSealed(db)
  const rows = new WalletRows()
  for (const range of await rangesOf(db, sealed, lastWalletId, rangeSwaps)) {
    const hot = Map.groupBy(
      await listSwaps(db, [range.from, range.to]),
      ({ wallet_id }) => wallet_id,
    )
    rows.clear()
    for await (const { columns, isGone } of scanBlocks(db, sealed)) {
      const wallets = columns.integers.wallet_id.low
      for (let row = 0; row < columns.count; row++) {
        const id = wallets[row] as number
        if (id >= range.from && id <= range.to && isGone?.(row) !== true) rows.add(columns, row)
      }
    }
    yield* pagesOf(rows, hot)
  }
}

/** Ranges of ids of so many swaps at most; a run of wallets that has more is one by itself. */
async function rangesOf(
  db: Queryable,
  sealed: Sealed,
  last: number,
  rangeSwaps: number,
): Promise<WalletRange[]> {
  const width = Math.ceil((last + 1) / RUNS)
  const counts = new Float64Array(RUNS)
  for (const { run, swaps } of await countSwaps(db, [width])) counts[run]! += swaps
  const total = sealed.segments.reduce(
    (sum, { rowCount }) => sum + rowCount,
    counts.reduce((sum, count) => sum + count, 0),
  )
  if (total <= rangeSwaps) return [{ from: 0, to: last }]
  for await (const { columns } of scanBlocks(db, sealed)) {
    const wallets = columns.integers.wallet_id.low
    for (let row = 0; row < columns.count; row++) {
      counts[Math.floor((wallets[row] as number) / width)]! += 1
    }
  }
  const ranges: WalletRange[] = []
  let [from, swaps] = [0, 0]
  for (let run = 0; run * width <= last; run++) {
    if (swaps > 0 && swaps + counts[run]! > rangeSwaps) {
      ranges.push({ from, to: run * width - 1 })
      from = run * width
      swaps = 0
    }
    swaps += counts[run]!
  }
  return [...ranges, { from, to: last }]
}

/** Pages of sealed rows and those of the table, by wallet and slot. */
function* pagesOf(
  rows: WalletRows,
  hot: ReadonlyMap<number, readonly WalletRow[]>,
): Generator<WalletRow[]> {
  const order = rows.order()
  const ids = new Set(Array.from(order, (row) => rows.walletId(row)))
  const wallets = [...new Set([...ids, ...hot.keys()])].sort((a, b) => a - b)
  let page: WalletRow[] = []
  let at = 0
  for (const id of wallets) {
    const from = page.length
    for (; at < order.length && rows.walletId(order[at]!) === id; at++) {
      page.push(rows.row(order[at]!))
    }
    const own = hot.get(id)
    if (own !== undefined) {
      const both = [...page.splice(from), ...own].sort((a, b) => a.slot - b.slot)
      for (const row of both) page.push(row)
    }
    if (page.length < PAGE_SWAPS) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}
