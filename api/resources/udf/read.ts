/** Reads for charts by TradingView's UDF protocol: a symbol, and the bars of its candles. */
import { type Timeframe, widthOf } from '../../../domain/time/timeframe.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import { ApiError } from '../../routing/error.ts'
import { type PricedRow, pricedRows } from '../candles/candle-lines.ts'
import { readCandles } from '../candles/read.ts'
import { BARS_MAX } from './schema.ts'

/** Price: SOL per whole token; null where it never had one. */
export type SymbolRow = {
  mint: string
  symbol: string | null
  name: string | null
  price: number | null
}

const findSymbol = query<SymbolRow>('udf/find_symbol')

/** Throws NOT_FOUND where it is neither a mint nor a pool that is known. */
export async function readSymbol(db: Queryable, ticker: string): Promise<SymbolRow> {
  const [row] = await findSymbol(db, [ticker])
  if (row === undefined) throw new ApiError('NOT_FOUND', `unknown symbol "${ticker}"`)
  return row
}

/** `fromMs` inclusive, `toMs` exclusive; `countback`: so many bars before `toMs`, whatever `fromMs` is. */
type BarFilter = {
  symbol: string
  timeframe: Timeframe
  fromMs: number
  toMs: number
  countback?: number
}

/** Ascending. `olderMs`: the newest bar before `fromMs`, where none is in the range. */
export type Bars = { rows: PricedRow[]; olderMs: number | undefined }

/** Throws NOT_FOUND as readSymbol does. At most BARS_MAX bars, the newest. */
export async function readBars(db: Queryable, filter: BarFilter): Promise<Bars> {
  const { symbol, timeframe, fromMs, toMs, countback } = filter
  const { mint } = await readSymbol(db, symbol)
  const names = mint === symbol ? { token_address: mint } : { pair_address: symbol }
  const inRange = Math.ceil((toMs - fromMs) / widthOf(timeframe)) + 1
  const limit = countback ?? Math.min(BARS_MAX, Math.max(1, inRange))
  const before = { to: toMs - 1, limit, timeframe, fill: false }
  const { pages } = toMs === 0 ? { pages: [] } : await readCandles(db, { ...names, ...before })
  const rows = pricedRows(pages)
  const older = rows.at(-1)?.bucket_ms
  if (countback !== undefined) return { rows, olderMs: undefined }
  const wanted = rows.filter(({ bucket_ms }) => bucket_ms >= fromMs)
  return { rows: wanted, olderMs: wanted.length === 0 ? older : undefined }
}
