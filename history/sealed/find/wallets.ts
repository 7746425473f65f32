/** Finds sealed swaps of wallets. */
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { DamagedHistory, postingName } from '../../codec/envelope.ts'
import type { PoolRun } from '../../codec/postings/pool.ts'
import type { RowList } from '../../codec/postings/row-list.ts'
import { rowsOfPart, rowsOfWallets, walletBucket } from '../../codec/postings/wallet.ts'
import type { Sealed, Segment } from '../state.ts'
import type { StoredSwap } from '../stored-swap.ts'
import { loadRuns } from './pools.ts'
import { loadPostings, pageOfParts } from './postings.ts'
import { holds, type Listing, type Slots, segmentsOf, steps, wholeSlots } from './ranges.ts'
import { countingRows, loadRows, type RowNumbers } from './rows.ts'
import { expectWalletsStored } from './stored.ts'

type SlotRow = { readonly slot: number; readonly row: number }
/** `poolIds`: null or absent for all. */
type WalletListing = Listing & { readonly poolIds?: readonly number[] | null | undefined }
type WalletRows = { readonly segment: Segment; readonly list: RowList | 'heavy' }

/** Parts of a wallet with many swaps that are read at a time: 600 rows each. */
const PARTS_AT_ONCE = 4
const PARTS_OF_ALL = 1_000
const PART_MAX = 2 ** 31 - 1

/** Swaps of wallets within slots. `rows` of the listing are of each wallet. */
export async function ofWallets(
  db: Queryable,
  sealed: Sealed,
  walletIds: readonly number[],
  slots: Slots,
  listing: WalletListing,
): Promise<StoredSwap[]> {
  const segments = segmentsOf(sealed, [slots], listing.order)
  const found: StoredSwap[] = []
  const counts = new Map([...new Set(walletIds)].map((id) => [id, 0]))
  for (const some of steps(segments, listing)) {
    const open = [...counts].filter(([, count]) => count < (listing.rows ?? Infinity))
    if (open.length === 0) break
    const ids = open.map(([id]) => id)
    const isOwnPool = await poolFilter(db, some, listing.poolIds)
    const wanted: RowNumbers[] = []
    for (const [id, own] of await loadLists(db, some, ids)) {
      let left = listing.rows === undefined ? undefined : listing.rows - (counts.get(id) ?? 0)
      for (const { segment, list } of own) {
        if (left !== undefined && left <= 0) break
        const rows = await rowsWithin(
          db,
          { segment, list, id },
          slots,
          { ...listing, rows: left },
          isOwnPool,
        )
        wanted.push({ segment, rows: rows.map(({ row }) => row) })
        counts.set(id, (counts.get(id) ?? 0) + rows.length)
        if (left !== undefined) left -= rows.length
      }
    }
    found.push(...(await loadRows(db, merged(wanted))).map(({ swap }) => swap))
  }
  const { order, rows = Number.POSITIVE_INFINITY, poolIds = null } = listing
  const unsure = [...counts].filter(([, count]) => order === 'asc' || count < rows)
  const ids = unsure.map(([id]) => id)
  await expectWalletsStored(db, sealed, ids, poolIds, slots.low)
  return found
}

/** The lists of wallets, of each in the order of the segments. */
async function loadLists(
  db: Queryable,
  segments: readonly Segment[],
  walletIds: readonly number[],
): Promise<ReadonlyMap<number, readonly WalletRows[]>> {
  const keys = new Map<string, { segment: Segment; bucket: number; ids: number[] }>()
  for (const segment of segments) {
    for (const id of walletIds) {
      const bucket = walletBucket(id, segment.walletBits)
      const key = `${segment.id} ${bucket}`
      const known = keys.get(key)
      if (known === undefined) keys.set(key, { segment, bucket, ids: [id] })
      else known.ids.push(id)
    }
  }
  const lists = new Map<string, RowList | 'heavy'>()
  for (const posting of await loadPostings(db, 'wallet', [...keys.values()])) {
    const { segment, ids } = keys.get(`${posting.segmentId} ${posting.bucket}`)!
    const wallets = { ids, bits: segment.walletBits }
    for (const [id, list] of rowsOfWallets(posting.bytes, wallets, posting.subject)) {
      lists.set(`${segment.id} ${id}`, list)
    }
  }
  return new Map(
    walletIds.map((id) => [
      id,
      segments.flatMap((segment): WalletRows[] => {
        const list = lists.get(`${segment.id} ${id}`)
        return list === undefined ? [] : [{ segment, list }]
      }),
    ]),
  )
}

/** A wallet's rows of a segment that count, in the order of the list: as many as it needs, in whole slots. */
async function rowsWithin(
  db: Queryable,
  { segment, list, id }: WalletRows & { readonly id: number },
  slots: Slots,
  { order, rows }: Listing,
  isOwnPool: (segment: Segment, row: number) => boolean,
): Promise<readonly SlotRow[]> {
  const wanted = async (lists: readonly RowList[]) => {
    const numbered = lists
      .flatMap((each) => each.rows.map((row, index) => ({ slot: each.slots[index]!, row })))
      .filter(({ slot, row }) => holds(slots, slot) && isOwnPool(segment, row))
    return countingRows(db, segment, order === 'asc' ? numbered : numbered.reverse())
  }
  if (list !== 'heavy') return wholeSlots(await wanted([list]), ({ slot }) => slot, rows)
  const found: SlotRow[] = []
  let [from, to] = [0, PART_MAX]
  const count = rows === undefined ? PARTS_OF_ALL : PARTS_AT_ONCE
  for (;;) {
    const key = { segment, bucket: id }
    const page = await pageOfParts(db, 'heavy_wallet', key, { from, to }, order, count)
    expectParts(key, page, { order, next: order === 'asc' ? from : to, count })
    const lists = page.map(({ bytes, subject }) => rowsOfPart(bytes, subject))
    found.push(...(await wanted(order === 'asc' ? lists : lists.reverse())))
    const whole = wholeSlots(found, ({ slot }) => slot, rows)
    if (page.length < count || whole.length < found.length) return whole
    const last = page.at(-1)!.part
    if (order === 'asc') from = last + 1
    else to = last - 1
  }
}

/** Throws DamagedHistory where a part is lost: they are numbered from 0 on. `next`: the one that the page begins with, at most. */
function expectParts(
  { segment, bucket }: { readonly segment: Segment; readonly bucket: number },
  page: readonly { readonly part: number }[],
  { order, next, count }: { order: Listing['order']; next: number; count: number },
): void {
  const step = order === 'asc' ? 1 : -1
  const first = next === PART_MAX ? (page[0]?.part ?? 0) : next
  const lost = page.findIndex(({ part }, index) => part !== first + step * index)
  const isShort = page.length < count
  const end = first + step * page.length
  const isEnd = order === 'asc' ? end > 0 : end === -1
  if (lost === -1 && (!isShort || isEnd)) return
  const part = lost === -1 ? end : first + step * lost
  const subject = postingName(segment.id, 'heavy_wallet', bucket, Math.max(0, part))
  throw new DamagedHistory(subject, 'this part is lost')
}

/** Whether a row is of one of some pools, by the runs of their rows. */
async function poolFilter(
  db: Queryable,
  segments: readonly Segment[],
  poolIds: readonly number[] | null | undefined,
): Promise<(segment: Segment, row: number) => boolean> {
  if (poolIds == null) return () => true
  const runs = await loadRuns(db, segments, poolIds)
  const bySegment = new Map(
    segments.map((segment) => [
      segment.id,
      poolIds.flatMap((poolId) => runs(segment, poolId)).sort((a, b) => a.firstRow - b.firstRow),
    ]),
  )
  return ({ id }, row) => hasRow(bySegment.get(id) ?? [], row)
}

/** `runs` ascend. */
function hasRow(runs: readonly PoolRun[], row: number): boolean {
  let [low, high] = [0, runs.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (runs[middle]!.firstRow <= row) low = middle + 1
    else high = middle
  }
  const run = runs[low - 1]
  return run !== undefined && row < run.firstRow + run.rowCount
}

/** The rows of each segment once. */
function merged(wanted: readonly RowNumbers[]): RowNumbers[] {
  return [...Map.groupBy(wanted, ({ segment }) => segment)].map(([segment, own]) => ({
    segment,
    rows: [...new Set(own.flatMap(({ rows }) => rows))],
  }))
}
