/** Reads sandwiches with their legs, the parts of a transaction in them, and their sums. */
import type { Int64 } from '../../../domain/amount.ts'
import { swapOfRow } from '../../../domain/events/stored-row.ts'
import type { Swap } from '../../../domain/events/swap.ts'
import { inExecutionOrder, type OrderedSlot } from '../../../domain/market/order.ts'
import { type BackRun, backRunsOf } from '../../../domain/market/sandwich/backrun.ts'
import { SETTLING_SLOTS } from '../../../domain/market/sandwich/cuts.ts'
import type { BracketRow, LegRow as StoredLeg } from '../../../domain/market/sandwich/stored-row.ts'
import { listFollowingSwaps } from '../../../history/swaps/pools.ts'
import { rowsOfTransaction } from '../../../history/swaps/signatures.ts'
import { readLatestTime } from '../../../history/swaps/slots.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query, variants } from '../../../sql/query.ts'
import type { Moment, Shown } from './moment.ts'
import type { Concerned } from './past.ts'
import type { Order } from './sandwich-key.ts'

type SandwichRow = Omit<BracketRow, 'legs'> & {
  id: Int64
  pair_address: string
  token_address: string
  dex: number
  tie: string
  repeats: number
  is_counted: boolean
}
export type LegRow = StoredLeg & { sandwich_id: Int64 }
export type FoundSandwich = SandwichRow & { readonly legs: readonly LegRow[] }
/** Sums of int64 are texts. */
export type SumRow = {
  key: string
  sandwiches: number
  victims: number
  loss_low: string
  loss_high: string | null
  exact: number
  profit_lamports: string
}
/** `settledMs`: Unix ms before which all swaps are searched and settled; null: none is. */
export type Settled = { readonly settledMs: number | null; readonly isDue: boolean }
type Filter = {
  readonly wallet?: string
  readonly attacker?: string
  readonly pair_address?: string
  readonly token_address?: string
  readonly dex?: number
  readonly from?: number
  readonly to?: number
  readonly include?: 'wide'
}
type ListFilter = Filter & {
  readonly min_loss_lamports?: Int64
  readonly width?: string
  readonly rejected: boolean
}
export type TransactionRead = {
  readonly swaps: readonly Swap[]
  readonly sandwiches: readonly FoundSandwich[]
  readonly backRuns: readonly BackRun[]
  readonly isSettled: boolean
}

const LISTS = variants<SandwichRow, Order>('mev/list_sandwiches', ['asc', 'desc'], {
  isPlannedAnew: true,
})
const listLegs = query<LegRow>('mev/list_legs')
const listOfTransaction = query<SandwichRow>('mev/list_of_transaction')
const findDue = query<{ is_due: boolean }>('mev/find_due')
const sumLosses = query<SumRow>('mev/sum_losses', { isPlannedAnew: true })

/** `after`: slot, block_tx_index, ix_index, signature and tie. */
export async function readSandwiches(
  { db, shownSlot }: Shown,
  filter: ListFilter,
  { order, after, rows }: { order: Order; after: readonly unknown[]; rows: number },
): Promise<FoundSandwich[]> {
  const found = await LISTS[order](db, [
    ...after,
    rows,
    ...[filter.wallet ?? null, filter.attacker ?? null],
    ...[filter.pair_address ?? null, filter.token_address ?? null, filter.dex ?? null],
    ...[filter.from ?? null, filter.to ?? null],
    ...[filter.min_loss_lamports ?? null, filter.width ?? null],
    ...[filter.include === 'wide', filter.rejected, shownSlot],
  ])
  return withLegs(db, found)
}

async function withLegs(db: Queryable, rows: readonly SandwichRow[]): Promise<FoundSandwich[]> {
  if (rows.length === 0) return []
  const legs = await listLegs(db, [rows.map(({ id }) => id)])
  const byId = Map.groupBy(legs, ({ sandwich_id }) => sandwich_id)
  return rows.map((row) => ({ ...row, legs: byId.get(row.id) ?? [] }))
}

/** The pools of which brackets may match the filters. */
export function concernedBy({
  wallet,
  attacker,
  pair_address: pair,
  token_address: mint,
  dex,
}: Filter): Concerned {
  return {
    wallets: [wallet, attacker].filter((each) => each !== undefined),
    isOf: (pool) =>
      (pair === undefined || pool.pair_address === pair) &&
      (mint === undefined || pool.token_address === mint) &&
      (dex === undefined || pool.dex === dex),
  }
}

/** Undefined for an unknown signature. */
export async function readTransaction(
  moment: Moment,
  signature: string,
): Promise<TransactionRead | undefined> {
  const { db, slot: untilSlot, settledSlot, hasStarted } = moment
  const rows = (await rowsOfTransaction(db, signature)).filter(({ slot }) => slot <= untilSlot)
  if (rows.length === 0) return undefined
  const slots = rows.map(({ slot }) => slot)
  const lastSlot = Math.max(...slots)
  const isOf: Concerned['isOf'] = ({ pair_address: pair, token_address: mint }) =>
    rows.some((row) => row.pair_address === pair && row.token_address === mint)
  const shown = await moment.shown(lastSlot, { wallets: [], isOf })
  const own = await listOfTransaction(shown.db, [signature, shown.shownSlot])
  const sandwiches = await withLegs(shown.db, own)
  const around = [
    Math.min(...slots) - SETTLING_SLOTS,
    Math.min(untilSlot, lastSlot + SETTLING_SLOTS),
  ]
  const [state] = await findDue(db, around)
  const traded = await slotsOf(db, rows)
  const swaps = rows.map(swapOfRow)
  return {
    swaps,
    sandwiches,
    backRuns: backRunsOf(swaps, (swap) => traded.get(slotKey(swap))),
    isSettled: hasStarted && state?.is_due === false && lastSlot <= settledSlot,
  }
}

type PlacedRow = { pool_id: number; slot: number; pair_address: string; token_address: string }

/** The slots of a transaction that trades in several pools, pool by pool; a transaction of one pool follows nothing. */
async function slotsOf(
  db: Queryable,
  rows: readonly PlacedRow[],
): Promise<Map<string, OrderedSlot>> {
  const found = new Map<string, OrderedSlot>()
  const pools = Map.groupBy(rows, ({ pool_id, slot }) => `${pool_id} ${slot}`)
  if (pools.size < 2) return found
  for (const [row] of pools.values()) {
    if (row === undefined) continue
    const { pool_id: poolId, slot } = row
    const swaps = await listFollowingSwaps(db, poolId, { low: slot, high: slot }, 1)
    const [ordered] = inExecutionOrder(swaps.map(swapOfRow))
    const key = slotKey({
      ...row,
      pairAddress: row.pair_address,
      tokenAddress: row.token_address,
    })
    if (ordered !== undefined) found.set(key, ordered)
  }
  return found
}

const slotKey = (of: { slot: number; pairAddress: string; tokenAddress: string }): string =>
  `${of.slot} ${of.pairAddress} ${of.tokenAddress}`

/** Sums by a key, `all` for one row. */
export function readSums(
  { db, shownSlot }: Shown,
  by: string,
  filter: Filter,
  rows: number,
): Promise<SumRow[]> {
  return sumLosses(db, [
    ...[by, filter.from ?? 0, filter.to ?? Number.MAX_SAFE_INTEGER],
    ...[filter.wallet ?? null, filter.attacker ?? null],
    ...[filter.pair_address ?? null, filter.token_address ?? null, filter.dex ?? null],
    ...[filter.include === 'wide', rows, shownSlot],
  ])
}

export async function readSettled(moment: Moment): Promise<Settled> {
  const { db, settledSlot, hasStarted, isDue, dueMs } = moment
  if (!hasStarted || settledSlot < 0) return { settledMs: null, isDue }
  const latestMs = await readLatestTime(db, settledSlot)
  const settledMs = latestMs === null || dueMs === null ? latestMs : Math.min(latestMs, dueMs)
  return { settledMs, isDue }
}
