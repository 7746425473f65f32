/**
 * Reads latest values in batches with the queries of REST: candles of pools and top pools, statistics of tokens, and
 * the rankings that the ranking actor computed.
 */

import { FORMULA_VERSION } from '../../../domain/ranking.ts'
import { bucketOf } from '../../../domain/time/time-bucket.ts'
import {
  STORED_WIDTHS,
  type Table,
  type Timeframe,
  tableOf,
  widthOf,
} from '../../../domain/time/timeframe.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query, variants } from '../../../sql/query.ts'
import { type CandleRow, isPriced, type PricedRow } from '../../resources/candles/candle-lines.ts'
import { presentCandle } from '../../resources/candles/present.ts'
import { readLatest } from '../../resources/candles/read.ts'
import { presentMovers } from '../../resources/movers/present.ts'
import { readMovers } from '../../resources/movers/read.ts'
import { presentTokenStats } from '../../resources/token-stats/present.ts'
import { readTokenStats } from '../../resources/token-stats/read.ts'
import { presentTrending } from '../../resources/trending/present.ts'
import { readTrending } from '../../resources/trending/read.ts'
import type { Subject } from './filter.ts'
import type { MoversFilter, TrendingFilter } from './schema.ts'
import type { LatestValue, ReadPart } from './value.ts'

type PoolRow = {
  wanted: string
  is_token: boolean
  pool_id: number
  pair_address: string
  token_address: string
  newest_ms: number | null
}
type PlacedRow = CandleRow & { ordinal: number }
export type Instant = {
  minute: number | null
  rate: number | null
  ranking_epoch: string | null
  ranking_sequence: number | null
  refreshed_sequence: number | null
}
type OfCandles = Subject & { channel: 'candles' }
type Reads = Map<LatestValue, ReadPart[]>

const listPools = query<PoolRow>('feed/list_candle_pools')
const LISTS = variants<PlacedRow, Table>('feed/list_candles', STORED_WIDTHS)
const findInstant = query<Instant>('feed/read_instant')

export async function readInstant(db: Queryable): Promise<Instant> {
  const [instant] = await findInstant(db, [FORMULA_VERSION])
  if (instant === undefined) throw new Error('feed/read_instant gave no row')
  return instant
}

/**
 * Each value gets the candle of its newest swap and the one before it, if they have a price; if neither has, the newest
 * candle with a price. An unknown pool or token gets none.
 */
export async function readCandleValues(
  db: Queryable,
  values: readonly LatestValue[],
): Promise<Reads> {
  const requested = values.map((value) => ({ value, subject: value.subject as OfCandles }))
  const pairs = requested.flatMap(({ subject }) => ('pool' in subject ? [subject.pool] : []))
  const mints = requested.flatMap(({ subject }) => ('token' in subject ? [subject.token] : []))
  const rows = await listPools(db, [[...new Set(pairs)], [...new Set(mints)]])
  const pools = new Map(rows.map((row) => [`${row.is_token} ${row.wanted}`, row]))
  const found = requested.flatMap(({ value, subject }) => {
    const isToken = 'token' in subject
    const pool = pools.get(`${isToken} ${isToken ? subject.token : subject.pool}`)
    return pool === undefined ? [] : [{ value, pool, timeframe: subject.timeframe }]
  })
  const reads: Reads = new Map(values.map((value) => [value, []]))
  const byTable = Map.groupBy(found, ({ timeframe }) => tableOf(timeframe))
  for (const [table, own] of byTable) await readTable(db, table, own, reads)
  for (const { value, pool, timeframe } of found) {
    if (reads.get(value)?.length !== 0) continue
    const { pair_address, token_address } = pool
    const { row } = await readLatest(db, { pair_address, token_address, timeframe })
    if (row !== undefined) reads.set(value, [partOf(pool, timeframe, row)])
  }
  return reads
}

type Found = { value: LatestValue; pool: PoolRow; timeframe: Timeframe }

async function readTable(
  db: Queryable,
  table: Table,
  all: readonly Found[],
  reads: Reads,
): Promise<void> {
  const bounds = all.map(({ pool, timeframe }) => {
    const width = widthOf(timeframe)
    const newest = bucketOf(pool.newest_ms ?? 0, width)
    return { width, first: newest - width, end: newest + width }
  })
  const rows = await LISTS[table](db, [
    all.map(({ pool }) => pool.pool_id),
    bounds.map(({ first }) => first),
    bounds.map(({ end }) => end),
    bounds.map(({ width }) => width),
    Math.min(...bounds.map(({ first }) => first)),
    Math.max(...bounds.map(({ end }) => end)),
  ])
  for (const row of rows) {
    const { value, pool, timeframe } = all[row.ordinal - 1] as Found
    if (isPriced(row)) reads.get(value)?.push(partOf(pool, timeframe, row))
  }
}

function partOf(pool: PoolRow, timeframe: Timeframe, row: PricedRow): ReadPart {
  const content = presentCandle(row, pool, timeframe)
  return { name: `${pool.pair_address} ${row.bucket_ms}`, content, atMs: row.bucket_ms }
}

export async function readStatsValues(
  db: Queryable,
  values: readonly LatestValue[],
): Promise<Reads> {
  const mints = values.map(({ name }) => name)
  const found = new Map((await readTokenStats(db, mints)).map((each) => [each.token.mint, each]))
  return new Map(
    values.map((value) => {
      const figures = found.get(value.name)
      const parts = figures === undefined ? [] : [presentTokenStats(figures)]
      return [value, parts.map((content) => ({ name: '', content }))]
    }),
  )
}

export async function readRanking(
  db: Queryable,
  ranking: TrendingFilter | MoversFilter,
): Promise<ReadPart[]> {
  const { board, limit } = ranking
  if (board === 'top_movers') {
    const { window: timeframe, protocol } = ranking
    const found = await readMovers(db, { timeframe, protocol, limit })
    const request = { timeframe, ...(protocol === undefined ? {} : { protocol }) }
    return [{ name: '', content: { board, ...presentMovers(request, found).data } }]
  }
  const { window, sector, include_rugged: hasRugged, extra_windows: windows } = ranking
  const wanted = { window, hasRugged, sector, limit, offset: 0, windows }
  const found = await readTrending(db, wanted)
  return [{ name: '', content: { board, ...presentTrending({ ...ranking, offset: 0 }, found) } }]
}
