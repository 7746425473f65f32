/** Reads for charts by TradingView's UDF protocol: a symbol, and the bars of its candles. */
import { type Timeframe, widthOf } from '../../../domain/time/timeframe.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import { ApiError } from '../../routing/error.ts'
import type { AsOfReading } from '../../routing/reading/as-of.ts'
import { type PricedRow, pricedRows } from '../candles/candle-lines.ts'
import { readCandles } from '../candles/read.ts'
import { pastView } from '../past-market/view.ts'
import { BARS_MAX } from './schema.ts'

/** Price: SOL per whole token; null where it never had one. */
export type SymbolRow = {
  mint: string
  symbol: string | null
  name: string | null
  price: number | null
}

type PastSymbolRow = { mint: string | null; is_known: boolean; is_named_later: boolean }

const findSymbol = query<SymbolRow>('udf/find_symbol')
const findPastSymbol = query<PastSymbolRow>('udf/find_past_symbol')

/** Throws NOT_FOUND where it is neither a mint nor a pool that is known. */
export async function readSymbol(db: Queryable, ticker: string): Promise<SymbolRow> {
  const [row] = await findSymbol(db, [ticker])
  if (row === undefined) throw unknown(ticker)
  return row
}

const unknown = (ticker: string): ApiError =>
  new ApiError('NOT_FOUND', `unknown symbol "${ticker}"`)

/** Whether it was a mint as of the slot, else a pool. Throws ApiError where it was neither, and where that is not stored. */
async function isPastMint({ db, slot }: AsOfReading, ticker: string): Promise<boolean> {
  const [row] = await findPastSymbol(db, [ticker, slot])
  if (row?.is_named_later === true) {
    const reason = `only lines after slot ${slot} are stored of the token`
    throw new ApiError('AS_OF_UNSUPPORTED', `symbol "${ticker}": ${reason}`)
  }
  if (row?.is_known !== true) throw unknown(ticker)
  return row.mint !== null
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
  const { mint } = await readSymbol(db, filter.symbol)
  return barsOf(db, filter, mint === filter.symbol)
}

/** The same as of the slot. Throws ApiError also where too many swaps are folded. */
export async function readPastBars(past: AsOfReading, filter: BarFilter): Promise<Bars> {
  const { symbol } = filter
  const isMint = await isPastMint(past, symbol)
  const view = await pastView(past, isMint ? { mints: [symbol] } : { pairs: [symbol] })
  return barsOf(view, filter, isMint)
}

async function barsOf(db: Queryable, filter: BarFilter, isMint: boolean): Promise<Bars> {
  const { symbol, timeframe, fromMs, toMs, countback } = filter
  const names = isMint ? { token_address: symbol } : { pair_address: symbol }
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
