/**
 * Reads a pool as it was at the end of a slot, with the swaps afterwards that show its depth: whole slots, in one snapshot.
 */
import type { Gap } from '../../../domain/coverage.ts'
import { changesLiquidity, POOL_EVENT_KINDS } from '../../../domain/events/pool-event.ts'
import { type PoolEventRow, poolEventOfRow, swapOfRow } from '../../../domain/events/stored-row.ts'
import type { Swap } from '../../../domain/events/swap.ts'
import { EVIDENCE_SLOTS_MAX, EVIDENCE_SWAPS_MAX } from '../../../domain/market/evidence.ts'
import { hasTrueIndexes, inExecutionOrder } from '../../../domain/market/order.ts'
import type { QuotedPool } from '../../../domain/market/quote.ts'
import { readNewestSlot } from '../../../history/swaps/newest.ts'
import { findLastSlot, listFollowingSwaps } from '../../../history/swaps/pools.ts'
import { inOnePiece } from '../../../sql/db.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import { inSnapshot } from '../../../sql/snapshot.ts'
import { ApiError } from '../../routing/error.ts'
import { refuseMint } from '../swaps/read.ts'

type PoolRow = {
  id: number
  token_address: string
  decimals: number | null
  first_slot: number | null
  last_slot: number | null
  migrated_at_ms: number | null
  closed_slot: number | null
}
type QuoteWanted = {
  readonly pair_address: string
  readonly token_address?: string
  readonly slot?: number
}
/** Null of an unknown pool: its mint and decimals; `slot`: also where nothing is indexed. */
export type QuoteRead = {
  readonly tokenAddress: string | null
  readonly decimals: number | null
  readonly slot: number | null
  readonly pool: QuotedPool
}

const listPools = query<PoolRow>('quotes/list_pools')
const listChanges = query<PoolEventRow>('quotes/list_liquidity_changes')

const CHANGES = POOL_EVENT_KINDS.filter((event) => changesLiquidity({ event }))
/** A pool without a swap. */
const NO_POOL: QuotedPool = {
  slots: [],
  following: [],
  events: [],
  slot: 0,
  migratedAtMs: undefined,
  isClosed: false,
  hasGap: false,
}
/** Slots without true indexes that are read to link the last of them; each begins with the reserves after the one before. */
export const LINKED_SLOTS_MAX = 16

/** Throws ApiError where the pool account trades several mints or is a mint, or where the slot is above the newest. `gaps`: slots that were not read. */
export async function readQuotedPool(
  db: Queryable,
  wanted: QuoteWanted,
  gaps: readonly Gap[],
): Promise<QuoteRead> {
  return inSnapshot(db, async () => {
    const [pools, newestSlot] = await inOnePiece(db, () =>
      Promise.all([
        listPools(db, [wanted.pair_address, wanted.token_address ?? null]),
        readNewestSlot(db),
      ]),
    )
    const slot = wanted.slot ?? newestSlot
    const pool = await onlyPool(db, pools, wanted)
    if (pool === undefined || slot === null || newestSlot === null) {
      return { tokenAddress: wanted.token_address ?? null, decimals: null, slot, pool: NO_POOL }
    }
    if (slot > newestSlot) {
      const text = `slot "${slot}" is above the newest indexed slot: use at most ${newestSlot}`
      throw new ApiError('INVALID_PARAM', text, { isOfAge: true })
    }
    return {
      tokenAddress: pool.token_address,
      decimals: pool.decimals,
      slot,
      pool: await readPool(db, pool, { slot, newestSlot, gaps }),
    }
  })
}

async function onlyPool(
  db: Queryable,
  pools: readonly PoolRow[],
  { pair_address: pair }: QuoteWanted,
): Promise<PoolRow | undefined> {
  const [pool, ...others] = pools
  if (pool === undefined) await refuseMint(db, pair)
  if (others.length === 0) return pool
  const mints = pools.map(({ token_address }) => token_address).join(' ')
  throw new ApiError(
    'INVALID_PARAM',
    `pair_address "${pair}" trades several mints: add token_address, one of ${mints}`,
  )
}

type Moment = { slot: number; newestSlot: number; gaps: readonly Gap[] }

async function readPool(db: Queryable, pool: PoolRow, moment: Moment): Promise<QuotedPool> {
  const { slot, newestSlot, gaps } = moment
  const known = {
    slot,
    migratedAtMs: pool.migrated_at_ms ?? undefined,
    isClosed: pool.closed_slot !== null && pool.closed_slot <= slot,
  }
  const slots = inExecutionOrder(await readLinkedSwaps(db, pool, slot))
  const state = slots.at(-1)?.swaps.at(-1)
  if (state === undefined) return { ...known, slots, following: [], events: [], hasGap: false }
  const own = gaps.filter(({ to, venues }) => to >= state.slot && venues.includes(state.dex))
  const unread = own.map(({ from }) => from).filter((from) => from > slot)
  const end = Math.min(
    state.slot + EVIDENCE_SLOTS_MAX,
    newestSlot,
    ...unread.map((from) => from - 1),
  )
  const [following, events] = await inOnePiece(db, () =>
    Promise.all([
      end > slot
        ? listFollowingSwaps(db, pool.id, { low: slot + 1, high: end }, EVIDENCE_SWAPS_MAX + 1)
        : [],
      listChanges(db, [pool.id, state.slot, Math.max(slot, end), CHANGES]),
    ]),
  )
  return {
    ...known,
    slots,
    following: inExecutionOrder(following.map(swapOfRow)),
    events: events.map(poolEventOfRow),
    hasGap: own.some(({ from }) => from <= slot),
  }
}

/** The swaps of the last slot up to this one, and of those before it as far as they are needed to link its swaps. */
async function readLinkedSwaps(db: Queryable, pool: PoolRow, slot: number): Promise<Swap[]> {
  const linked: Swap[] = []
  let end = slot
  for (let slots = 0; slots < LINKED_SLOTS_MAX; slots++) {
    const found = await lastSlot(db, pool, end)
    if (found === undefined) return linked
    const rows = await listFollowingSwaps(db, pool.id, { low: found, high: found }, 1)
    const swaps = rows.map(swapOfRow)
    linked.push(...swaps)
    if (hasTrueIndexes(swaps)) return linked
    end = found - 1
  }
  return linked
}

async function lastSlot(db: Queryable, pool: PoolRow, end: number): Promise<number | undefined> {
  const { first_slot: first, last_slot: last } = pool
  if (first === null || last === null || end < first) return undefined
  if (end >= last) return last
  return findLastSlot(db, pool.id, { low: first, high: end })
}
