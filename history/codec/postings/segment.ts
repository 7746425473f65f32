/** All postings of a segment, from its rows. Pure. */
import type { SealedSwap } from '../row.ts'
import { orderPostings, type SlotRows } from './order.ts'
import { largePostings, type PoolRun, poolPostings, SLICE_SLOTS } from './pool.ts'
import type { Posting, RowList } from './row-list.ts'
import { signatureBits, signaturePostings } from './signature.ts'
import { walletBits, walletPostings } from './wallet.ts'

/** Input of the postings of a segment. Row numbers are indexes of `rows`. */
export type SegmentRows = {
  /** By slice, pool and canonical order. */
  rows: readonly Pick<SealedSwap, 'slot' | 'pool_id' | 'wallet_id' | 'sol_amount'>[]
  /** Row numbers in canonical order. */
  canonical: Uint32Array
  /** High and low half of the hash of each row's signature. */
  signatureHalves: Int32Array
  /** Hashes of the blocks of a slot, in the order in which rows number them. */
  blockhashes: ReadonlyMap<number, readonly string[]>
  /** Lamports from which a swap is listed as large. */
  largeLamports: number
}

type List = { slots: number[]; rows: number[] }

export function* segmentPostings(segment: SegmentRows): Generator<Posting> {
  const { rows, canonical, signatureHalves, blockhashes, largeLamports } = segment
  const first = canonical[0]
  if (first === undefined) return
  const firstSlot = rows[first]!.slot
  const sliceOf = (slot: number): number =>
    Math.floor(slot / SLICE_SLOTS) - Math.floor(firstSlot / SLICE_SLOTS)
  const wallets = new Map<number, List>()
  const large = new Map<number, List>()
  const slots = new Map<number, number[]>()
  for (const row of canonical) {
    const { slot, wallet_id: walletId, sol_amount: lamports } = rows[row]!
    append(wallets, walletId, slot, row)
    if (lamports >= largeLamports) append(large, sliceOf(slot), slot, row)
    const own = slots.get(slot)
    if (own === undefined) slots.set(slot, [row])
    else own.push(row)
  }
  yield* signaturePostings(signatureHalves, signatureBits(rows.length))
  yield* walletPostings(wallets satisfies Map<number, RowList>, walletBits(rows.length), firstSlot)
  const slotRows = Array.from(
    slots,
    ([slot, own]): SlotRows => ({ slot, rows: own, blockhashes: blockhashes.get(slot) ?? [] }),
  )
  yield* orderPostings(slotRows, firstSlot)
  yield* poolPostings(runsOf(rows, sliceOf))
  yield* largePostings(large)
}

function append(lists: Map<number, List>, key: number, slot: number, row: number): void {
  const list = lists.get(key)
  if (list === undefined) {
    lists.set(key, { slots: [slot], rows: [row] })
    return
  }
  list.slots.push(slot)
  list.rows.push(row)
}

function runsOf(
  rows: SegmentRows['rows'],
  sliceOf: (slot: number) => number,
): Map<number, PoolRun[]> {
  const runs = new Map<number, PoolRun[]>()
  let open: PoolRun | undefined
  let openPool: number | undefined
  rows.forEach(({ pool_id: poolId, slot }, row) => {
    const slice = sliceOf(slot)
    if (open !== undefined && openPool === poolId && open.slice === slice) {
      open.rowCount += 1
      return
    }
    open = { slice, firstRow: row, rowCount: 1 }
    openPool = poolId
    const own = runs.get(poolId)
    if (own === undefined) runs.set(poolId, [open])
    else own.push(open)
  })
  return runs
}
