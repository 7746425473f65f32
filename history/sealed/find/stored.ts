/**
 * Refuses to find swaps that were dropped.
 *
 * Law: a finder whose slots reach below the first stored one throws BeforeHistory unless nothing that it looks for was there, or its
 * list is full before it comes to them. It never returns less. A reader that may begin at the first stored swap clips its slots.
 */
import type { Int64 } from '../../../domain/amount.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import { movedSince, readSealed, type Sealed, type Since, withSealed } from '../state.ts'
import type { StoredSwap } from '../stored-swap.ts'
import type { Slots } from './ranges.ts'

/** The answer needs swaps that were dropped. */
export class BeforeHistory extends Error {
  readonly since: Since

  constructor(since: Since) {
    const time = new Date(since.ms).toISOString()
    super(
      `swaps before slot ${since.slot} (${time}) are no longer stored: HISTORY_DAYS dropped them`,
    )
    this.since = since
  }
}

const findDroppedPool = query<{ pool_id: number }>('sealed-history/find_dropped_pool')
const findDroppedPosition = query<{ wallet_id: number }>('sealed-history/find_dropped_position')

const listLastDropped = query<StoredSwap>('sealed-history/list_last_dropped')

/** The slot from which swaps are stored of those from `low` on. */
export function storedLow({ since }: Sealed, low: number): number {
  return since === undefined ? low : Math.max(low, since.slot)
}

/** The stored part of a range of slots. */
export const storedSlots = (sealed: Sealed, { low, high }: Slots): Slots => ({
  low: storedLow(sealed, Number(low)),
  high,
})

/** Leaves out rows of dropped slots, of which a statement also reads the few that stay. */
export function storedRows<Row extends { readonly slot: number }>(
  { since }: Sealed,
  rows: readonly Row[],
): Row[] {
  return rows.filter(({ slot }) => slot >= (since?.slot ?? 0))
}

/** Where stored swaps begin, if one of these slots is below. */
function droppedFrom({ since }: Sealed, lows: readonly Int64[]): Since | undefined {
  return since !== undefined && lows.some((low) => low < since.slot) ? since : undefined
}

/** Runs the writes of a transaction that was prepared by `sealed`. Throws HistoryMoved where they need swaps that were dropped since then. */
export async function writePrepared(sealed: Sealed, write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (error) {
    const isKnown = !(error instanceof BeforeHistory) || error.since.slot === sealed.since?.slot
    throw isKnown ? error : movedSince(sealed)
  }
}

/** Rejects with BeforeHistory where any swap was dropped. */
export async function expectAllStored(db: Queryable): Promise<void> {
  expectStored(await readSealed(db), [0])
}

/** Where stored swaps begin; undefined where none was dropped. */
export const storedSince = (db: Queryable): Promise<Since | undefined> =>
  withSealed(db, async ({ since }) => since)

/** Rejects with BeforeHistory where swaps of a slot were dropped. */
export const expectSlotStored = (db: Queryable, slot: Int64): Promise<void> =>
  withSealed(db, async (sealed) => expectStored(sealed, [slot]))

/** Throws BeforeHistory where one of some slots is below the stored ones. */
export function expectStored(sealed: Sealed, lows: readonly Int64[]): void {
  const since = droppedFrom(sealed, lows)
  if (since !== undefined) throw new BeforeHistory(since)
}

/** Throws BeforeHistory where dropped swaps may be of this time or later, Unix ms. */
export function expectTimeStored({ since }: Sealed, fromMs: number): void {
  if (since !== undefined && fromMs < since.ms) throw new BeforeHistory(since)
}

/** Rejects with BeforeHistory where swaps of a pool were dropped, each from a slot on. */
export async function expectPoolsStored(
  db: Queryable,
  { since }: Sealed,
  wanted: readonly { readonly poolId: number; readonly low: Int64 }[],
): Promise<void> {
  if (since === undefined) return
  const unsure = wanted.filter(({ low }) => low < since.slot)
  if (unsure.length === 0) return
  const parameters = [unsure.map(({ poolId }) => poolId), unsure.map(({ low }) => low)]
  if ((await findDroppedPool(db, parameters)).length > 0) throw new BeforeHistory(since)
}

/** Rejects with BeforeHistory where a wallet may have dropped swaps in some pools, from a slot on. `poolIds`: null for all. */
export async function expectWalletsStored(
  db: Queryable,
  sealed: Sealed,
  walletIds: readonly number[],
  poolIds: readonly number[] | null,
  low: Int64,
): Promise<void> {
  const since = droppedFrom(sealed, [low])
  if (since === undefined || walletIds.length === 0) return
  const dropped = await findDroppedPosition(db, [walletIds, poolIds, since.ms])
  if (dropped.length > 0) throw new BeforeHistory(since)
}

/**
 * The last dropped swaps of pools, which their state follows from: of each pool all of the last slot, the last one that sets a price, and one
 * with the greatest time (history/dropping/pool-ends.ts). Those that stay in `swap` are not among them.
 */
export async function lastDropped(
  db: Queryable,
  { since }: Sealed,
  poolIds: readonly number[],
): Promise<StoredSwap[]> {
  return since === undefined || poolIds.length === 0 ? [] : listLastDropped(db, [poolIds])
}
