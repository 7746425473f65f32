/**
 * Reads of the screener: tokens that traded in a window, or the named ones, filtered by their metrics.
 *
 * ```
 * named tokens, or few pools in all      computed on the spot
 * a screen younger than a minute         read from its table; over 10 s: a refresh is enqueued meanwhile
 * else                                   computed by a job that concurrent requests share, then read
 * no job can be enqueued                 computed on the spot, until the deadline
 * ```
 */

import type { Int64 } from '../../../domain/amount.ts'
import type { Log } from '../../../domain/log.ts'
import { storedSearchKey } from '../../../domain/text/search-key.ts'
import {
  DIRECT_POOLS_MAX,
  SCREEN_AGE_MAX_MS,
  SCREEN_FRESH_MS,
  WINDOW_MINUTES,
  type WindowName,
} from '../../../domain/time/trade-window.ts'
import type { DexId } from '../../../domain/venue.ts'
import { inOnePiece } from '../../../sql/db.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import { type JobRequests, JobsUnavailable } from '../../../streams/jobs/job.ts'
import type { Reading } from '../../routing/declaration.ts'
import { ApiError } from '../../routing/error.ts'
import type { ScreenerSort } from './schema.ts'

const BOUNDED = [
  'price_usd',
  'volume_usd',
  'liquidity_usd',
  'change_pct',
  'trades',
  'buyers',
  'age_minutes',
  'holders',
] as const
type Bounded = (typeof BOUNDED)[number]

/** Part of the metrics that each belongs to (sql: screened_tokens); age belongs to none. */
const PART_OF: Readonly<Partial<Record<Bounded, string>>> = {
  price_usd: 'prices',
  volume_usd: 'windows',
  liquidity_usd: 'prices',
  change_pct: 'windows',
  trades: 'windows',
  buyers: 'traders',
  holders: 'holders',
}

export type ScreenerFilter = {
  [Name in `${'min' | 'max'}_${Bounded}`]?: number
} & {
  mint?: string
  'mints[]'?: string[]
  creator?: string
  sector?: string
  protocol?: DexId
  window: WindowName
  sort: ScreenerSort
  order: 'asc' | 'desc'
  limit: number
  offset: number
}
export type ScreenedRow = {
  mint: string
  symbol: string | null
  name: string | null
  sector: string | null
  price_sol: number | null
  volume_sol: number
  liquidity_sol: number | null
  change_pct: number | null
  trades: Int64
  buys: Int64
  sells: Int64
  buyers: Int64
  sellers: Int64
  holders: Int64
  first_ms: number | null
  venues: number
  total_matches: Int64
}
/** `newestMs`: where the window ends. */
export type Screen = { rows: ScreenedRow[]; total: Int64; rate: number | null; newestMs: number }

export type ScreenerDeps = {
  /** Absent: a query that is not small answers 503. */
  jobs?: JobRequests | undefined
  log: Log
  /** Pools up to which a request computes by itself. */
  directPoolsMax?: number | undefined
}

type State = {
  newest_ms: number | null
  rate: number | null
  pool_count: number | null
  age_ms: number | null
  rolled_newest_ms: number | null
}
type IdRow = { id: number }

const readState = query<State>('screener/read_state')
const listActive = query<{ ids: number[] }>('screener/list_active')
const listMints = query<IdRow>('screener/list_mints')
const listCreated = query<IdRow>('screener/list_created')
const listSector = query<IdRow>('screener/list_sector')
const listDirect = query<ScreenedRow>('screener/list_direct')
const listScreened = query<ScreenedRow>('screener/list_screened', { isPlannedAnew: true })

/** Rejects with JobFailed, or the signal's reason while a screen is being made. */
export async function readScreen(
  filter: ScreenerFilter,
  { reader, signal }: Reading,
  { jobs, log, directPoolsMax = DIRECT_POOLS_MAX }: ScreenerDeps,
): Promise<Screen> {
  const { window } = filter
  const atHand = await reader.run(signal, (db) => readAtHand(db, filter, directPoolsMax))
  if (atHand !== undefined) {
    if (atHand.isOld) {
      jobs?.request('screener', { window }).catch((err: unknown) => {
        log.warn({ err, window }, 'failed to enqueue a screen refresh')
      })
    }
    return atHand.screen
  }
  if (jobs === undefined) throw beingMade(window)
  let poolsMax = directPoolsMax
  try {
    await jobs.requestAndWait('screener', { window }, signal)
  } catch (error) {
    if (!(error instanceof JobsUnavailable)) throw error
    poolsMax = Number.POSITIVE_INFINITY
  }
  const made = await reader.run(signal, (db) => readAtHand(db, filter, poolsMax))
  if (made === undefined) throw beingMade(window)
  return made.screen
}

function beingMade(window: WindowName): ApiError {
  return new ApiError('UNAVAILABLE', `the screen of ${window} is being computed: try again`)
}

/** Undefined while a screen has to be made first. */
async function readAtHand(
  db: Queryable,
  filter: ScreenerFilter,
  directPoolsMax: number,
): Promise<{ screen: Screen; isOld: boolean } | undefined> {
  const minutes = WINDOW_MINUTES[filter.window]
  const [[state], named, among] = await inOnePiece(db, () =>
    Promise.all([readState(db, [minutes]), namedIds(db, filter), idsAmong(db, filter)]),
  )
  if (state === undefined || state.newest_ms === null) return { screen: NOTHING, isOld: false }
  const { newest_ms: newestMs, rate } = state
  const isSmall = (state.pool_count ?? 0) <= directPoolsMax
  if (named !== undefined || isSmall) {
    const ids = named ?? (await listActive(db, [minutes]))[0]?.ids ?? []
    const selected = among === undefined ? ids : ids.filter((id) => among.has(id))
    const of = { ids: selected, rate, newestMs }
    return { screen: await readPage(db, listDirect, filter, of, [partsOf(filter)]), isOld: false }
  }
  const { age_ms: ageMs, rolled_newest_ms: rolledMs } = state
  if (ageMs === null || rolledMs === null || ageMs >= SCREEN_AGE_MAX_MS) return undefined
  const of = { ids: among === undefined ? null : [...among], rate, newestMs: rolledMs }
  const screen = await readPage(db, listScreened, filter, of)
  return { screen, isOld: ageMs >= SCREEN_FRESH_MS }
}

const NOTHING: Screen = { rows: [], total: 0, rate: null, newestMs: 0 }

/** Ids of tokens requested by mint, which are listed whether they traded or not. */
async function namedIds(
  db: Queryable,
  { mint, 'mints[]': mints }: ScreenerFilter,
): Promise<number[] | undefined> {
  if (mint === undefined && mints === undefined) return undefined
  const both = mint !== undefined && mints !== undefined
  const wanted = both ? mints.filter((each) => each === mint) : (mints ?? [mint])
  return (await listMints(db, [wanted])).map(({ id }) => id)
}

/** Ids by creator and sector; undefined for any. */
async function idsAmong(
  db: Queryable,
  { creator, sector }: ScreenerFilter,
): Promise<Set<number> | undefined> {
  const idsOf = (rows?: readonly IdRow[]) => rows && new Set(rows.map(({ id }) => id))
  const found = await Promise.all([
    creator === undefined ? undefined : listCreated(db, [creator]),
    sector === undefined ? undefined : listSector(db, [storedSearchKey(sector)]),
  ])
  const [created, tagged] = found.map(idsOf)
  return created && tagged ? created.intersection(tagged) : (created ?? tagged)
}

/** Parts with metrics that the filter or the order uses; the others are read only for the rows of the page. */
function partsOf(filter: ScreenerFilter): string[] {
  const named = BOUNDED.filter(
    (name) =>
      name === filter.sort ||
      filter[`min_${name}`] !== undefined ||
      filter[`max_${name}`] !== undefined,
  )
  const parts = named.map((name) => PART_OF[name]).filter((part) => part !== undefined)
  return [...new Set(filter.protocol === undefined ? parts : [...parts, 'venues'])]
}

type Of = { ids: number[] | null; rate: number | null; newestMs: number }

/** `more`: further parameters of the list. */
async function readPage(
  db: Queryable,
  list: typeof listDirect,
  filter: ScreenerFilter,
  { ids, rate, newestMs }: Of,
  more: readonly unknown[] = [],
): Promise<Screen> {
  const { window, protocol: dex, sort, order, limit, offset } = filter
  const bounds = BOUNDED.flatMap((name) => [filter[`min_${name}`], filter[`max_${name}`]])
  const parameters = [
    WINDOW_MINUTES[window],
    ids,
    dex === undefined ? null : 1 << dex,
    ...bounds.map((bound) => bound ?? null),
    rate,
    newestMs,
    sort,
    order === 'asc' ? 1 : -1,
  ]
  const rows = await list(db, [...parameters, limit, offset, ...more])
  // A page after the last match has no row that could carry the number of matches.
  const counted =
    rows.length > 0 || offset === 0 ? rows : await list(db, [...parameters, 1, 0, ...more])
  return { rows, total: counted[0]?.total_matches ?? 0, rate, newestMs }
}
