/**
 * Reads the stored swaps of many pools, pool by pool. Sealed rows of pools with neighbouring ids are neighbours, so pools that are read in
 * the order of their ids are read block by block, each block about once.
 */
import type { SwapRow } from '../../../domain/events/stored-row.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import { locatePools, ofPools } from '../../sealed/find/pools.ts'
import type { Slots } from '../../sealed/find/ranges.ts'
import { pagesOf } from '../../sealed/pages.ts'
import { readSealed, type Sealed } from '../../sealed/state.ts'
import type { StoredSwap } from '../../sealed/stored-swap.ts'
import { listFollowingSwaps } from '../pools.ts'
import { bySwapCount } from './groups.ts'

type ScannedPool = {
  readonly id: number
  readonly pair_address: string
  readonly token_address: string
  /** The count that the row of the pool states, by which pools are read together. */
  readonly swap_count: number
}
/** Swaps of a pool, whole slots, unordered. Pages of a pool follow each other by slot, with at least one, and then those of the next pool. */
type PoolPage<Pool> = {
  readonly pool: Pool
  readonly rows: ScannedRow[]
  readonly isLast: boolean
}
/** `location`: of a sealed one that was read with others of its segment. */
export type ScannedRow = SwapRow & {
  readonly location?: { readonly segmentId: number; readonly rowNumber: number } | undefined
}

/** Swaps in memory at once: 600 bytes each. */
const GROUP_SWAPS = 20_000
const PAGE_SWAPS = 5_000
const ADDRESSES_MAX = 200_000

const listOfPools = query<SwapRow>('swap-history/list_swaps_of_pools')
const listAddresses = query<{ id: number; wallet_address: string }>(
  'sealed-history/list_wallet_addresses',
)

/** Reads slots, both ends included, within a snapshot. `pools`: by id. */
export async function* scanPools<Pool extends ScannedPool>(
  db: Queryable,
  pools: readonly Pool[],
  slots: { readonly low: number; readonly high: number },
): AsyncGenerator<PoolPage<Pool>> {
  const sealed = await readSealed(db)
  const wallets = new WalletAddresses(db)
  for (const group of bySwapCount(pools, GROUP_SWAPS)) {
    const [pool] = group
    if (group.length > 1) yield* pagesOfGroup(db, sealed, wallets, group, slots)
    else yield* pagesOfPool(db, sealed, wallets, pool!, slots)
  }
}

async function* pagesOfGroup<Pool extends ScannedPool>(
  db: Queryable,
  sealed: Sealed,
  wallets: WalletAddresses,
  pools: readonly Pool[],
  slots: { readonly low: number; readonly high: number },
): AsyncGenerator<PoolPage<Pool>> {
  const ids = pools.map(({ id }) => id)
  const hot = Map.groupBy<number, ScannedRow>(
    await listOfPools(db, [ids, slots.low, slots.high]),
    ({ pool_id }) => pool_id,
  )
  const found = slots.low > sealed.lastSlot ? [] : await locatePools(db, sealed, ids, slots)
  await wallets.load(found.map(({ swap }) => swap))
  const old = Map.groupBy(found, ({ swap }) => swap.pool_id)
  for (const pool of pools) {
    const rows = hot.get(pool.id) ?? []
    for (const { swap, segmentId, rowNumber } of old.get(pool.id) ?? []) {
      wallets.push(rows, pool, swap, { segmentId, rowNumber })
    }
    yield { pool, rows, isLast: true }
  }
}

/** Pages of a pool of any count of swaps. */
async function* pagesOfPool<Pool extends ScannedPool>(
  db: Queryable,
  sealed: Sealed,
  wallets: WalletAddresses,
  pool: Pool,
  { low, high }: { readonly low: number; readonly high: number },
): AsyncGenerator<PoolPage<Pool>> {
  const find = (slots: Slots, rows: number) =>
    ofPools(db, sealed, [pool.id], slots, { order: 'asc', rows })
  if (low <= sealed.lastSlot) {
    const old = { low, high: Math.min(high, sealed.lastSlot) }
    for await (const { slots, swaps } of pagesOf(find, old, 'asc', GROUP_SWAPS)) {
      const rows: ScannedRow[] = await listOfPools(db, [[pool.id], slots.low, slots.high])
      await wallets.load(swaps)
      for (const swap of swaps) wallets.push(rows, pool, swap)
      yield { pool, rows, isLast: false }
    }
  }
  for (let from = Math.max(low, sealed.lastSlot + 1); ; ) {
    const rows =
      from > high ? [] : await listFollowingSwaps(db, pool.id, { low: from, high }, PAGE_SWAPS)
    const isLast = rows.length < PAGE_SWAPS
    yield { pool, rows, isLast }
    if (isLast) return
    from = rows[rows.length - 1]!.slot + 1
  }
}

/** Addresses of wallets by id, each read about once. */
class WalletAddresses {
  private readonly db: Queryable
  private readonly addresses = new Map<number, string>()

  constructor(db: Queryable) {
    this.db = db
  }

  /** Reads those of swaps. */
  async load(swaps: readonly StoredSwap[]): Promise<void> {
    if (this.addresses.size > ADDRESSES_MAX) this.addresses.clear()
    const unknown = new Set<number>()
    for (const { wallet_id: id } of swaps) if (!this.addresses.has(id)) unknown.add(id)
    if (unknown.size === 0) return
    for (const { id, wallet_address } of await listAddresses(this.db, [[...unknown]])) {
      this.addresses.set(id, wallet_address)
    }
  }

  /** Adds a swap of a pool, unless its wallet has no row, as the statements of other lists do. */
  push(
    rows: ScannedRow[],
    pool: ScannedPool,
    swap: StoredSwap,
    location?: ScannedRow['location'],
  ): void {
    const user = this.addresses.get(swap.wallet_id)
    if (user === undefined) return
    const { pair_address, token_address } = pool
    rows.push(Object.assign(swap, { pair_address, token_address, user_address: user, location }))
  }
}
