/**
 * Reads candles of the chosen pool: the newest of a timeframe, or a range as one candle.
 *
 * A list without a lower bound is read backwards in windows, each four times as long as the one before: a pool that
 * trades continuously fills its page from the first window, one that trades seldom after a few.
 */
import { bucketOf } from '../../../domain/time/time-bucket.ts'
import {
  candleCount,
  STORED_WIDTHS,
  TABLE_WIDTHS_MS,
  type Table,
  type Timeframe,
  tableOf,
  widthOf,
} from '../../../domain/time/timeframe.ts'
import { inOnePiece } from '../../../sql/db.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query, variants } from '../../../sql/query.ts'
import { ApiError } from '../../routing/error.ts'
import type { PricedRow } from './candle-lines.ts'
import { CandleLines, type Page, rowOf } from './candle-lines.ts'
import type { CandlePool, ListedCandles } from './candle-text.ts'
import { choosePool, type PoolFilter } from './choose-pool.ts'

/** Unix ms, inclusive: buckets count whole from the one that holds `from`. */
type CandleFilter = PoolFilter & {
  timeframe: Timeframe
  from?: number
  to?: number
  limit: number
  fill: boolean
}
type RangeFilter = {
  token_address: string
  from: number
  to: number
  resolution: Timeframe
}
type RangeRow = {
  open: number | null
  high: number | null
  low: number | null
  close: number | null
  volume_lamports: string
  sample_count: number
}

/** A pool's newest candle with a price. */
export type LatestCandle = { pool: CandlePool | null; row: PricedRow | undefined }
export type Range = { pool: CandlePool | null; row: RangeRow }

type BucketRow = { bucket_ms: number }

const findFirstBucket = query<BucketRow>('candles/find_first_bucket')
const findCloseBefore = query<{ close: number }>('candles/find_close_before')
const readNewest = query<{ newest_ms: number | null }>('candles/read_newest')

const LISTS = variants<Page, Table>('candles/list_candles', STORED_WIDTHS)
const MERGED = variants<Page, Table>('candles/list_merged', STORED_WIDTHS)
const RANGES = variants<RangeRow, Table>('candles/read_range', STORED_WIDTHS)

export const RANGE_CANDLES_MAX = 10_000n
const WINDOW_GROWTH = 4
const NOTHING: RangeRow = {
  open: null,
  high: null,
  low: null,
  close: null,
  volume_lamports: '0',
  sample_count: 0,
}

/** The newest `limit` of the requested candles; none for an unknown pool. */
export async function readCandles(db: Queryable, filter: CandleFilter): Promise<ListedCandles> {
  const width = widthOf(filter.timeframe)
  const from = filter.from === undefined ? undefined : bucketOf(filter.from, width)
  const to = filter.to === undefined ? undefined : bucketOf(filter.to, width)
  const range = from === undefined || to === undefined ? undefined : { from, to: to + width }
  const chosen = await choosePool(db, filter, range)
  const { pool } = chosen
  const none: ListedCandles = { pool: chosen.shown, pages: [] }
  if (pool === undefined || pool.newest_ms === null) return none
  // Where gaps are filled up to now, the current time is read as well.
  const [[first], [newestOfAll]] = await inOnePiece(db, () =>
    Promise.all([
      findFirstBucket(db, [pool.id]),
      filter.fill && to === undefined ? readNewest(db) : [],
    ]),
  )
  if (first === undefined) return none
  const oldest = Math.max(from ?? 0, bucketOf(first.bucket_ms, width))
  const newest = bucketOf(pool.newest_ms, width)
  if (filter.fill) {
    const last = to ?? bucketOf(newestOfAll?.newest_ms ?? 0, width)
    return { ...none, ...(await readFilled(db, pool.id, filter, { oldest, last })) }
  }
  const wanted = { first: oldest, last: Math.min(newest, to ?? newest) }
  return { ...none, pages: await readPriced(db, pool.id, filter, wanted) }
}

/** The pool's newest candle with a price; `row` is undefined where there is none. */
export async function readLatest(
  db: Queryable,
  filter: PoolFilter & { timeframe: Timeframe },
): Promise<LatestCandle> {
  const { pool, pages } = await readCandles(db, { ...filter, limit: 1, fill: false })
  const lines = new CandleLines(pages)
  return { pool, row: lines.next() ? rowOf(lines) : undefined }
}

/** The range of a token's top pool as one candle. Throws INVALID_PARAM over 10,000 candles. */
export async function readRange(db: Queryable, filter: RangeFilter): Promise<Range> {
  const width = widthOf(filter.resolution)
  const candles = candleCount(filter.from, filter.to, width)
  if (candles > RANGE_CANDLES_MAX) {
    throw new ApiError(
      'INVALID_PARAM',
      `from "${filter.from}" to "${filter.to}" are ${candles} candles of ${filter.resolution}: ` +
        `expected at most ${RANGE_CANDLES_MAX}, use a wider resolution or a shorter range`,
    )
  }
  const from = bucketOf(filter.from, width)
  const to = bucketOf(filter.to, width) + width
  const { pool, shown } = await choosePool(db, filter, { from, to })
  if (pool === undefined) return { pool: null, row: NOTHING }
  const [row = NOTHING] = await RANGES[tableOf(filter.resolution)](db, [pool.id, from, to, width])
  return { pool: shown, row }
}

type Buckets = { first: number; last: number }

/** Candles with a price, newest first, window by window. */
async function readPriced(
  db: Queryable,
  poolId: number,
  { timeframe, limit }: CandleFilter,
  wanted: Buckets,
): Promise<Page[]> {
  const width = widthOf(timeframe)
  const pages: Page[] = []
  let last = wanted.last
  let left = limit
  for (let span = limit * width; last >= wanted.first && left > 0; span *= WINDOW_GROWTH) {
    const first = Math.max(wanted.first, last - span + width)
    const found = await list(db, poolId, timeframe, { first, last }, left, false)
    pages.push(...found)
    left -= found.reduce((sum, { candles }) => sum + candles, 0)
    last = first - width
  }
  return pages
}

async function readFilled(
  db: Queryable,
  poolId: number,
  { timeframe, limit }: CandleFilter,
  { oldest, last }: { oldest: number; last: number },
): Promise<Pick<ListedCandles, 'pages' | 'filled'>> {
  const widthMs = widthOf(timeframe)
  const first = Math.max(oldest, last - (limit - 1) * widthMs)
  if (first > last) return { pages: [] }
  const edges = [bucketOf(first, TABLE_WIDTHS_MS['15m']), bucketOf(first, TABLE_WIDTHS_MS['4h'])]
  const [pages, [before]] = await inOnePiece(db, () =>
    Promise.all([
      list(db, poolId, timeframe, { first, last }, limit, true),
      findCloseBefore(db, [poolId, first, ...edges]),
    ]),
  )
  return { pages, filled: { first, last, widthMs, carried: before?.close } }
}

function list(
  db: Queryable,
  poolId: number,
  timeframe: Timeframe,
  { first, last }: Buckets,
  limit: number,
  isUnpricedToo: boolean,
): Promise<Page[]> {
  const table = tableOf(timeframe)
  const width = widthOf(timeframe)
  const parameters = [poolId, first, last + width, limit, isUnpricedToo]
  return width === TABLE_WIDTHS_MS[table]
    ? LISTS[table](db, parameters)
    : MERGED[table](db, [...parameters, width])
}
