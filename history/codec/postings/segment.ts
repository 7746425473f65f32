/** All postings of a segment, from its rows. Pure. */
import { orderPostings, type SlotRows } from './order.ts'
import { largePostings, type PoolRun, poolPostings, SLICE_SLOTS } from './pool.ts'
import type { Posting, RowList } from './row-list.ts'
import { signatureBits, signaturePostings } from './signature.ts'
import { walletBits, walletPostings } from './wallet.ts'

/** Input of the postings of a segment. Row numbers are indexes of `rows`. */
export type SegmentRows = {
  /** Columns of rows by slice, pool and canonical order. */
  slots: Numbers
  poolIds: Numbers
  walletIds: Numbers
  /** 1 for a swap that is listed as large. */
  isLarge: Numbers
  /** Row numbers in canonical order. */
  canonical: Uint32Array
  /** High and low half of the hash of each row's signature. */
  signatureHalves: Int32Array
  /** Hashes of the blocks of a slot, in the order in which rows number them. */
  blockhashes: ReadonlyMap<number, readonly string[]>
}
type Numbers = ArrayLike<number>

type List = { slots: number[]; rows: number[] }

export function* segmentPostings(segment: SegmentRows): Generator<Posting> {
  const { canonical, signatureHalves, blockhashes, walletIds, isLarge } = segment
  const first = canonical[0]
  if (first === undefined) return
  const firstSlot = segment.slots[first] as number
  const sliceOf = (slot: number): number =>
    Math.floor(slot / SLICE_SLOTS) - Math.floor(firstSlot / SLICE_SLOTS)
  const wallets = new Map<number, List>()
  const large = new Map<number, List>()
  const slots = new Map<number, number[]>()
  for (const row of canonical) {
    const slot = segment.slots[row] as number
    append(wallets, walletIds[row] as number, slot, row)
    if (isLarge[row] === 1) append(large, sliceOf(slot), slot, row)
    const own = slots.get(slot)
    if (own === undefined) slots.set(slot, [row])
    else own.push(row)
  }
  yield* signaturePostings(signatureHalves, signatureBits(canonical.length))
  yield* walletPostings(
    wallets satisfies Map<number, RowList>,
    walletBits(canonical.length),
    firstSlot,
  )
  const slotRows = Array.from(
    slots,
    ([slot, own]): SlotRows => ({ slot, rows: own, blockhashes: blockhashes.get(slot) ?? [] }),
  )
  yield* orderPostings(slotRows, firstSlot)
  yield* poolPostings(runsOf(segment, sliceOf))
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
  { slots, poolIds }: SegmentRows,
  sliceOf: (slot: number) => number,
): Map<number, PoolRun[]> {
  const runs = new Map<number, PoolRun[]>()
  let open: PoolRun | undefined
  let openPool: number | undefined
  for (let row = 0; row < slots.length; row++) {
    const poolId = poolIds[row] as number
    const slice = sliceOf(slots[row] as number)
    if (open !== undefined && openPool === poolId && open.slice === slice) {
      open.rowCount += 1
      continue
    }
    open = { slice, firstRow: row, rowCount: 1 }
    openPool = poolId
    const own = runs.get(poolId)
    if (own === undefined) runs.set(poolId, [open])
    else own.push(open)
  }
  return runs
}
