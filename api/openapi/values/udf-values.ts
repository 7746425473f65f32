/** Example values by name: candles, and charts by TradingView's UDF protocol. Pure. */
import { DAY_MS, MINUTE_MS } from '../../../domain/time/time-bucket.ts'
import * as story from '../../examples/story.ts'
import { presentBars, presentFound, presentSymbol } from '../../resources/udf/present.ts'
import { under } from './under.ts'

const { BUY_MS, MINT, NAME, PRICE_SOL, SALE_MS, SYMBOL } = story
const MS_A_SECOND = 1_000
const BAR = { open: 0.000402, high: 0.000431, low: 0.0004, close: PRICE_SOL }
const OF_ROW = {
  volume_lamports: '190062500000',
  volume_units: '447205882353',
  trade_count: 132,
  buy_count: 79,
  trader_count: 61,
}
const BARS = presentBars({
  rows: [{ ...BAR, bucket_ms: BUY_MS, ...OF_ROW }],
  olderMs: undefined,
})
const FOUND = { kind: 'token', id: MINT, label: `${SYMBOL} (${NAME})` } as const

/** The five minutes that end with the sale. */
const CANDLE = {
  timestamp: SALE_MS,
  timeframe: '5m',
  open: 0.000424,
  high: 0.000431,
  low: 0.000422,
  close: PRICE_SOL,
  volume_sol: 190.0625,
  volume_token: Number(OF_ROW.volume_units),
  volume_lamports: Number(OF_ROW.volume_lamports),
  trade_count: OF_ROW.trade_count,
  buy_count: OF_ROW.buy_count,
  sell_count: OF_ROW.trade_count - OF_ROW.buy_count,
  unique_traders: OF_ROW.trader_count,
}
/** The hour that began with the buy. */
const HOUR_CANDLE = {
  timestamp: BUY_MS,
  timeframe: '1h',
  open: 0.0004,
  low: 0.0004,
  volume_sol: 402.1,
  volume_token: 968_915_662_651,
  volume_lamports: 402_100_000_000,
  trade_count: 265,
  buy_count: 150,
  sell_count: 115,
  unique_traders: 118,
}
const onRoute = (path: string, row: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [`${path} ${name}`, value]))

export const OF_CHARTS = {
  ...under('Candle', CANDLE),
  ...under('StreamedCandle', CANDLE),
  ...onRoute('/api/v1/candles/latest', HOUR_CANDLE),
  'parameter.symbol': MINT,
  'parameter.resolution': '5',
  '/udf/search query': 'exa',
  'parameter.type': 'crypto',
  'parameter.exchange': 'Solana',
  'parameter.countback': 100,
  '/udf/history from': (BUY_MS - DAY_MS) / MS_A_SECOND,
  '/udf/history to': (BUY_MS + MINUTE_MS) / MS_A_SECOND,
  ...under(
    'UdfSymbol',
    presentSymbol(MINT, { mint: MINT, symbol: SYMBOL, name: NAME, price: PRICE_SOL }),
  ),
  ...under('UdfSearchResult', presentFound({ ...FOUND, score: 1, name_flags: [] })),
  ...under('UdfHistory', BARS),
}
