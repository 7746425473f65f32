/** Reads all stored swaps, or sums over all of them: for `export` and `verify`, within their transaction. */
import type { Int64 } from '../../../domain/amount.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, QUARTER_MS } from '../../../domain/time/time-bucket.ts'
import { int2Array, int8Array } from '../../../sql/binary/arrays.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { type Query, query, variants } from '../../../sql/query.ts'
import { ofPools } from '../../sealed/find/pools.ts'
import type { Slots } from '../../sealed/find/ranges.ts'
import { ofSlots } from '../../sealed/find/slots.ts'
import { expectTimeStored, storedLow, storedSlots } from '../../sealed/find/stored.ts'
import { ofWallets } from '../../sealed/find/wallets.ts'
import { pagesOf, readBoth, SLOT_MAX, type SwapPage } from '../../sealed/pages.ts'
import { readSealed, type Sealed, withSealed } from '../../sealed/state.ts'
import { HANDED_MAX, swapStatement } from '../../sealed/statement.ts'
import type { StoredSwap } from '../../sealed/stored-swap.ts'
import { SeenIds, type VenueSum, VenueSums } from '../../sealed/sums.ts'
import type { ServedSwap } from '../served-swap.ts'
import type { LedgerRow, PositionEndRow } from '../wallets.ts'
import { bySwapCount } from './groups.ts'

/** First and last slot, which hold all swaps of the times; Unix ms, inclusive. */
type ExportRange = {
  readonly low: number
  readonly high: number
  readonly fromMs: number
  readonly toMs: Int64
}
type ExportedLot = LedgerRow & PositionEndRow & { token_id: number; wallet: string; mint: string }
export type TokenTrade = {
  token_id: number
  timestamp_ms: number
  is_buy: boolean
  wallet_id: number
  /** The hour's first Unix ms. */
  hour_ms: number
}
/** Volumes as text; null: no row. */
type VenueVolume = {
  width: number
  bucket_ms: number
  dex: number
  stored: string | null
  folded: string | null
}
/** Mixed wallets, ascending; null: no row. */
type MarketBucket = {
  is_hour: boolean
  bucket_ms: number
  stored: number[] | null
  folded: number[] | null
}
type HeldPosition = {
  wallet_id: number
  token_id: number
  wallet: string
  mint: string
  swap_count: number
  last_slot: number
}
/** Ids of a column that have no row in their table, and one of them. */
type DanglingIds = { kind: string; ids: number; example: number }

const EXPORTED = ['swaps', 'lots'] as const
const openSwaps = swapStatement('swap-history/open_exported_swaps')
const openLots = swapStatement('swap-history/open_exported_lots')
const FETCH = variants('swap-history/fetch_exported', EXPORTED)
const CLOSE = variants('swap-history/close_exported', EXPORTED)
const openTrades = swapStatement('swap-history/open_token_trades')
const fetchTrades = query<TokenTrade>('swap-history/fetch_token_trades')
const closeTrades = query('swap-history/close_token_trades')
const openVolumes = query('swap-history/open_venue_volumes')
const fetchVolumes = query<VenueVolume>('swap-history/fetch_venue_volumes')
const closeVolumes = query('swap-history/close_venue_volumes')
const count = query<{ swaps: number; doubled: number }>('swap-history/count_swaps')
const countDoubled = swapStatement<{ doubled: number }>('swap-history/count_doubled')
const listIds = query<DanglingIds>('swap-history/list_dangling')
const listMissing = query<{ kind: string; id: number }>('swap-history/list_missing_ids')
const listBuckets = swapStatement<MarketBucket>('swap-history/compare_market_traders')
const listHeld = query<HeldPosition>('sealed-history/list_held_positions')
const listPools = query<{ pool_id: number; token_id: number }>('sealed-history/list_token_pools')
const listPoolsBetween = query<{ pool_id: number; swap_count: number }>(
  'sealed-history/list_pools_between',
)
const listPoolPage = query<{ pool_id: number; swap_count: number; first_slot: number }>(
  'sealed-history/list_pool_page',
)
const listTimeSpan = query<{ low_slot: number | null; high_slot: number | null }>(
  'sealed-history/list_time_span',
)
const findSlotTimes = query<{ first_ms: number | null; last_ms: number | null }>(
  'sealed-history/find_slot_times',
)

/** Sealed swaps that are read at once. */
const PAGE_SWAPS = 50_000
/** Positions and pools of a page. */
const PAGE_ROWS = 500
/** A span of time of which sealed swaps are read at once where all of them are too many. */
const WINDOW_MS = 6 * HOUR_MS
const ALL_MS = [0, Number.MAX_SAFE_INTEGER] as const
const ALL_SLOTS = { low: 0, high: SLOT_MAX } as const

/** Rows of a cursor in pages. */
async function* rowsOf<Row>(
  db: Queryable,
  open: () => Promise<unknown>,
  fetch: Query<Record<string, unknown>>,
  close: Query<Record<string, unknown>>,
): AsyncGenerator<Row[]> {
  await open()
  for (;;) {
    const rows = await fetch(db)
    if (rows.length === 0) break
    yield rows as Row[]
  }
  await close(db)
}

/** Runs of slots with their sealed swaps, which hold all of `slots`. */
function sealedPages(db: Queryable, sealed: Sealed, slots: Slots): AsyncGenerator<SwapPage> {
  const find = (range: Slots, rows: number) => ofSlots(db, sealed, [range], { order: 'asc', rows })
  return pagesOf(find, slots, 'asc', PAGE_SWAPS)
}

/** Pages of all swaps of a range of time in canonical order. */
export async function* exportedSwaps(
  db: Queryable,
  { low, high, fromMs, toMs }: ExportRange,
): AsyncGenerator<ServedSwap[]> {
  for await (const { slots, swaps } of sealedPages(db, await readSealed(db), { low, high })) {
    const open = () => openSwaps(db, [slots.low, slots.high, fromMs, toMs], swaps)
    yield* rowsOf<ServedSwap>(db, open, FETCH.swaps, CLOSE.swaps)
  }
}

/** Pages of the swaps of positions that hold a balance, up to the newest slot of each, by wallet, mint and canonical order. */
export async function* exportedLots(db: Queryable): AsyncGenerator<ExportedLot[]> {
  const sealed = await readSealed(db)
  const read = (
    ids: readonly (readonly number[] | null)[],
    { low, high }: Slots,
    swaps: readonly StoredSwap[],
  ) => {
    const open = () => openLots(db, [...ids, low, high], swaps)
    return rowsOf<ExportedLot>(db, open, FETCH.lots, CLOSE.lots)
  }
  if (sealed.lastSlot < 0) {
    yield* read([null, null], ALL_SLOTS, [])
    return
  }
  for await (const positions of heldPositions(db)) {
    const ids = [
      positions.map(({ wallet_id }) => wallet_id),
      positions.map(({ token_id }) => token_id),
    ]
    if (positions.length > 1) {
      const found: StoredSwap[] = []
      for (const position of positions) {
        const own = await ofPosition(db, sealed, position, ALL_SLOTS)
        for (const swap of own) found.push(swap)
      }
      yield* read(ids, ALL_SLOTS, found)
      continue
    }
    const find = (slots: Slots, rows: number) => ofPosition(db, sealed, positions[0]!, slots, rows)
    for await (const { slots, swaps } of pagesOf(find, ALL_SLOTS, 'asc', PAGE_SWAPS)) {
      yield* read(ids, slots, swaps)
    }
  }
}

/** Positions whose swaps are read at once, by wallet and mint: one of them, or several with few swaps. */
async function* heldPositions(db: Queryable): AsyncGenerator<HeldPosition[]> {
  let after: [string, string] = ['', '']
  for (;;) {
    const page = await listHeld(db, [...after, PAGE_ROWS])
    const last = page.at(-1)
    if (last === undefined) return
    yield* bySwapCount(page, PAGE_SWAPS)
    after = [last.wallet, last.mint]
  }
}

async function ofPosition(
  db: Queryable,
  sealed: Sealed,
  { wallet_id, token_id }: HeldPosition,
  slots: Slots,
  rows?: number,
): Promise<StoredSwap[]> {
  const poolIds = (await listPools(db, [[token_id]])).map(({ pool_id }) => pool_id)
  return ofWallets(db, sealed, [wallet_id], slots, { order: 'asc', rows, poolIds })
}

/** Pages of the trades of tokens from one id to before another, hour by hour, from a time on, Unix ms. */
export async function* tokenTrades(
  db: Queryable,
  fromTokenId: number,
  endTokenId: number,
  firstMs: number,
): AsyncGenerator<TokenTrade[]> {
  const sealed = await readSealed(db)
  expectTimeStored(sealed, firstMs)
  const pools = await listPoolsBetween(db, [fromTokenId, endTokenId, sealed.lastSlot])
  const poolIds = pools.map(({ pool_id }) => pool_id)
  const count = pools.reduce((sum, { swap_count }) => sum + swap_count, 0)
  const all = count > HANDED_MAX ? await sealedWindows(db, sealed, WINDOW_MS) : [ALL_MS]
  for (const [fromMs, toMs] of windowsFrom(all, firstMs)) {
    const found = await ofTimes(db, [fromMs, toMs], (slots) =>
      ofPools(db, sealed, poolIds, storedSlots(sealed, slots), { order: 'asc' }),
    )
    const open = () => openTrades(db, [fromTokenId, endTokenId, fromMs, toMs], found)
    yield* rowsOf<TokenTrade>(db, open, fetchTrades, closeTrades)
  }
}

/** From the first to before the second Unix ms. */
type Window = readonly [fromMs: number, toMs: number]

/** All times in their order: windows of some width as long as sealed swaps may be of them. */
async function sealedWindows(db: Queryable, sealed: Sealed, widthMs: number): Promise<Window[]> {
  const [times] = await findSlotTimes(db, [sealed.lastSlot])
  if (times?.first_ms == null || times.last_ms === null) return [ALL_MS]
  const first = Math.floor(times.first_ms / widthMs)
  const end = Math.floor(times.last_ms / widthMs) + 1
  const bounds = Array.from({ length: end - first + 1 }, (_, index) => (first + index) * widthMs)
  const [low, high] = ALL_MS
  const all = [low, ...bounds.filter((ms) => ms > low && ms < high), high]
  return all.slice(1).map((ms, index): Window => [all[index]!, ms])
}

/** Windows from a time on. */
const windowsFrom = (windows: readonly Window[], firstMs: number): Window[] =>
  windows
    .filter(([, toMs]) => toMs > firstMs)
    .map(([fromMs, toMs]) => [Math.max(fromMs, firstMs), toMs])

/** Swaps of a window of time, of those that `find` returns of its slots. */
async function ofTimes(
  db: Queryable,
  [fromMs, toMs]: Window,
  find: (slots: Slots) => Promise<readonly StoredSwap[]>,
): Promise<StoredSwap[]> {
  const [span] = await listTimeSpan(db, [fromMs, toMs])
  if (span?.low_slot == null || span.high_slot === null) return []
  const found = await find({ low: span.low_slot, high: span.high_slot })
  return found.filter(({ timestamp_ms: ms }) => ms >= fromMs && ms < toMs)
}

/** Pages of the volumes of venues by minute and quarter from a time on, Unix ms, as stored and by the swaps. */
export async function* venueVolumes(db: Queryable, firstMs: number): AsyncGenerator<VenueVolume[]> {
  const sealed = await readSealed(db)
  expectTimeStored(sealed, firstMs)
  const read = (width: number | null, window: Window, sums: readonly VenueSum[]) => {
    const columns = [
      int8Array(sums.map(({ bucketMs }) => bucketMs)),
      int2Array(sums.map(({ dex }) => dex)),
      int8Array(sums.map(({ trades }) => trades)),
      sums.map(({ lamports }) => lamports),
    ]
    const open = () => openVolumes(db, [width, ...window, ...columns])
    return rowsOf<VenueVolume>(db, open, fetchVolumes, closeVolumes)
  }
  if (sealed.lastSlot < 0) {
    yield* read(null, ALL_MS, [])
    return
  }
  const quarters = new VenueSums(QUARTER_MS)
  const windows = windowsFrom(await sealedWindows(db, sealed, DAY_MS), firstMs)
  for (const window of windows) {
    const minutes = new VenueSums(MINUTE_MS)
    await addWindow(db, sealed, window, [minutes, quarters])
    yield* read(MINUTE_MS, window, minutes.within(window))
  }
  for (const window of windows) yield* read(QUARTER_MS, window, quarters.within(window))
}

async function addWindow(
  db: Queryable,
  sealed: Sealed,
  [fromMs, toMs]: Window,
  sums: readonly VenueSums[],
): Promise<void> {
  const [span] = await listTimeSpan(db, [fromMs, toMs])
  if (span?.low_slot == null || span.high_slot === null) return
  const slots = { low: storedLow(sealed, span.low_slot), high: span.high_slot }
  for await (const { swaps } of sealedPages(db, sealed, slots)) {
    for (const swap of swaps) {
      if (swap.timestamp_ms < fromMs || swap.timestamp_ms >= toMs) continue
      for (const each of sums) each.add(swap)
    }
  }
}

/** How many swaps are stored, and how many identities more than once. */
export function countSwaps(db: Queryable): Promise<{ swaps: number; doubled: number }> {
  return withSealed(db, async (sealed) => {
    const hot = (await count(db, [storedLow(sealed, 0)]))[0]!
    if (sealed.lastSlot < 0) return hot
    const counts = sealed.segments.map(({ rowCount, goneCount }) => rowCount - goneCount)
    const swaps = counts.reduce((sum, each) => sum + each, hot.swaps)
    return { swaps, doubled: await doubledOf(db, sealed) }
  })
}

/** An identity is of one pool, so pools are counted one after the other, busy ones in parts. */
async function doubledOf(db: Queryable, sealed: Sealed): Promise<number> {
  let doubled = 0
  for (let after = 0; ; ) {
    const page = await listPoolPage(db, [after, PAGE_ROWS])
    const last = page.at(-1)
    if (last === undefined) return doubled
    after = last.pool_id
    for (const pools of bySwapCount(page, PAGE_SWAPS)) {
      const ids = pools.map(({ pool_id }) => pool_id)
      const total = pools.reduce((sum, { swap_count }) => sum + swap_count, 0)
      const parts = Math.max(1, Math.ceil(total / HANDED_MAX))
      for (let part = 0; part < parts; part++) {
        const own = await partOfPools(db, sealed, ids, { parts, part })
        doubled += (await countDoubled(db, [ids, parts, part], own))[0]!.doubled
      }
    }
  }
}

async function partOfPools(
  db: Queryable,
  sealed: Sealed,
  poolIds: readonly number[],
  { parts, part }: { parts: number; part: number },
): Promise<readonly StoredSwap[]> {
  const stored = storedSlots(sealed, ALL_SLOTS)
  if (parts === 1) return ofPools(db, sealed, poolIds, stored, { order: 'asc' })
  const own: StoredSwap[] = []
  for (const poolId of poolIds) {
    const find = (slots: Slots, rows: number) =>
      ofPools(db, sealed, [poolId], slots, { order: 'asc', rows })
    for await (const { swaps } of pagesOf(find, stored, 'asc', PAGE_SWAPS)) {
      for (const swap of swaps) if (partOf(swap.signature) % parts === part) own.push(swap)
    }
  }
  return own
}

/** The number that swap-history/count_doubled computes of a signature. */
const partOf = (signature: string): number =>
  signature.charCodeAt(signature.length - 1) + 64 * signature.charCodeAt(signature.length - 2)

export function listDangling(db: Queryable): Promise<DanglingIds[]> {
  return withSealed(db, async (sealed) => {
    const dangling = new Map((await listIds(db)).map((row) => [row.kind, { ...row }]))
    const add = async (wallets: Iterable<number>, pools: Iterable<number>): Promise<void> => {
      for (const { kind, id } of await listMissing(db, [[...wallets], [...pools]])) {
        const own = dangling.get(kind) ?? { kind, ids: 0, example: id }
        dangling.set(kind, { kind, ids: own.ids + 1, example: Math.min(own.example, id) })
      }
    }
    const [wallets, pools] = [new SeenIds(), new SeenIds()]
    if (sealed.lastSlot >= 0) {
      const stored = storedSlots(sealed, ALL_SLOTS)
      for await (const { swaps } of sealedPages(db, sealed, stored)) {
        await add(
          wallets.newOf(swaps.map(({ wallet_id }) => wallet_id)),
          pools.newOf(swaps.map(({ pool_id }) => pool_id)),
        )
      }
    }
    return [...dangling.values()].sort((a, b) => (a.kind < b.kind ? -1 : 1))
  })
}

/** Traders of the market since an hour, Unix ms, as stored and by the swaps: the least `wallets` of each bucket. */
export function compareMarketTraders(
  db: Queryable,
  fromMs: number,
  wallets: number,
): Promise<MarketBucket[]> {
  return readBoth(db, 0, listBuckets, [fromMs, wallets], (sealed) => {
    expectTimeStored(sealed, fromMs)
    return ofTimes(db, [fromMs, ALL_MS[1]], (slots) =>
      ofSlots(db, sealed, [storedSlots(sealed, slots)], { order: 'asc' }),
    )
  })
}
