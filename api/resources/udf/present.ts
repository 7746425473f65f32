/** Symbols, results of a search and bars as UDF writes them. Pure. */
import type { Static } from 'typebox'
import { lamportsToSol } from '../../../domain/amount.ts'
import type { Found } from '../search/read.ts'
import { BAR_RESOLUTIONS, priceScale } from './chart-format.ts'
import type { Bars, SymbolRow } from './read.ts'
import type * as schema from './schema.ts'

/** The one exchange of all symbols: a token trades on several venues. */
export const EXCHANGE = 'Solana'
export const TYPE = 'crypto'
const MS_A_SECOND = 1_000
const VOLUME_DECIMALS = 3
const IS_MINUTES = /^\d+$/

export function presentSymbol(
  ticker: string,
  { mint, symbol, name, price }: SymbolRow,
): Static<typeof schema.symbolFound> {
  return {
    name: `${symbol || mint}/SOL`,
    ticker,
    description: name || mint,
    type: TYPE,
    session: '24x7',
    timezone: 'Etc/UTC',
    exchange: EXCHANGE,
    listed_exchange: EXCHANGE,
    format: 'price',
    minmov: 1,
    pricescale: priceScale(price),
    has_intraday: true,
    has_daily: true,
    supported_resolutions: [...BAR_RESOLUTIONS],
    intraday_multipliers: BAR_RESOLUTIONS.filter((resolution) => IS_MINUTES.test(resolution)),
    volume_precision: VOLUME_DECIMALS,
    data_status: 'streaming',
    currency_code: 'SOL',
  }
}

export const isChartable = ({ kind }: Found): boolean => kind === 'token' || kind === 'pool'

export const presentFound = ({
  id,
  label,
  kind,
}: Found): Static<typeof schema.searched>[number] => ({
  symbol: label,
  full_name: label,
  description: kind === 'pool' ? `Pool ${id}` : id,
  exchange: EXCHANGE,
  ticker: id,
  type: TYPE,
})

export function presentBars({ rows, olderMs }: Bars): Static<typeof schema.history> {
  return {
    s: rows.length === 0 ? 'no_data' : 'ok',
    t: rows.map(({ bucket_ms }) => bucket_ms / MS_A_SECOND),
    o: rows.map(({ open }) => open),
    h: rows.map(({ high }) => high),
    l: rows.map(({ low }) => low),
    c: rows.map(({ close }) => close),
    v: rows.map(({ volume_lamports }) => lamportsToSol(BigInt(volume_lamports))),
    ...(olderMs === undefined ? {} : { nextTime: olderMs / MS_A_SECOND }),
  }
}
