/** Example values by name: charts by TradingView's UDF protocol. Pure. */
import { DAY_MS, MINUTE_MS } from '../../../domain/time/time-bucket.ts'
import * as story from '../../examples/story.ts'
import { presentBars, presentFound, presentSymbol } from '../../resources/udf/present.ts'
import { under } from './under.ts'

const { BUY_MS, MINT, NAME, PRICE_SOL, SYMBOL } = story
const MS_A_SECOND = 1_000
const BAR = { open: 0.000402, high: 0.000431, low: 0.0004, close: PRICE_SOL }
const BARS = presentBars({
  rows: [{ ...BAR, bucket_ms: BUY_MS, volume_lamports: '190062500000', trade_count: 132 }],
  olderMs: undefined,
})
const FOUND = { kind: 'token', id: MINT, label: `${SYMBOL} (${NAME})` } as const

export const OF_CHARTS = {
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
