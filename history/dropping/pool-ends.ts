/**
 * The last dropped swaps of each pool, which its state follows from where the swaps after them are retracted: all of the last slot, the
 * last one that sets a price, with those at its position, and one with the greatest time. Pure.
 */
import type { StoredSwap } from '../sealed/stored-swap.ts'
import { isPriced, type Priced } from '../swaps/priced.ts'

type Position = Pick<StoredSwap, 'slot' | 'block_tx_index' | 'ix_index'>
type EndingSwap = Position & Priced & Pick<StoredSwap, 'pool_id' | 'timestamp_ms'>
type Ends<Row> = {
  slot: number
  last: Row[]
  newestMs: number
  newest: Row | undefined
  pricedAt: Position | undefined
  priced: Row[]
}

/** `Row`: what the caller knows a swap by. */
export class PoolEnds<Row> {
  private readonly pools = new Map<number, Ends<Row>>()

  /** In any order. */
  add(swap: EndingSwap, row: Row): void {
    const ends = this.endsOf(swap.pool_id)
    const { slot, timestamp_ms: ms } = swap
    if (slot > ends.slot) {
      ends.slot = slot
      ends.last = [row]
    } else if (slot === ends.slot) ends.last.push(row)
    if (ms > ends.newestMs) {
      ends.newestMs = ms
      ends.newest = row
    }
    if (isPriced(swap)) addPriced(ends, swap, row)
  }

  poolIds(): number[] {
    return [...this.pools.keys()]
  }

  /** Each once. */
  rows(): Row[] {
    const rows = new Set<Row>()
    for (const { last, newest, priced } of this.pools.values()) {
      for (const row of [...last, ...priced]) rows.add(row)
      if (newest !== undefined) rows.add(newest)
    }
    return [...rows]
  }

  private endsOf(poolId: number): Ends<Row> {
    const known = this.pools.get(poolId)
    if (known !== undefined) return known
    const ends: Ends<Row> = {
      ...{ slot: -1, last: [], newestMs: -1, newest: undefined },
      ...{ pricedAt: undefined, priced: [] },
    }
    this.pools.set(poolId, ends)
    return ends
  }
}

function addPriced<Row>(ends: Ends<Row>, swap: EndingSwap, row: Row): void {
  const order = ends.pricedAt === undefined ? 1 : compared(swap, ends.pricedAt)
  if (order < 0) return
  if (order > 0) ends.priced = []
  ends.pricedAt = { slot: swap.slot, block_tx_index: swap.block_tx_index, ix_index: swap.ix_index }
  ends.priced.push(row)
}

const compared = (a: Position, b: Position): number =>
  a.slot - b.slot || a.block_tx_index - b.block_tx_index || a.ix_index - b.ix_index
