/** Parameters and answers of token statistics. */
import Type from 'typebox'
import { byWindow, STATS_WINDOWS } from '../../../domain/time/trade-window.ts'
import {
  accountAddress,
  count,
  int64,
  mints,
  nullable,
  TOKEN_TEXTS,
  usd,
} from '../../routing/schema.ts'
import { LIQUIDITY_ZERO } from '../pairs/liquidity.ts'

export const STATS_MINTS_MAX = 200

export const ofToken = Type.Object({ mint: accountAddress({ description: 'Token mint' }) })
export const ofTokens = Type.Object({
  mints: mints(STATS_MINTS_MAX, 'Token mints', { also: 'token_addresses' }),
})

const price = (description: string) =>
  nullable(Type.Number({ description: `${description}, SOL per whole token; null without any` }))

const figures = Type.Object(
  {
    volume_sol: Type.Number({ description: 'SOL of all trades in all pools' }),
    trades: count({ description: 'Trades, dust included' }),
    buys: count({ description: 'Trades that bought' }),
    sells: count({ description: 'Trades that sold' }),
    buyers: count({
      description:
        'Distinct wallets that bought: exact to 1,024, then with a standard error of 3.1 %',
    }),
    sellers: count({ description: 'Distinct wallets that sold, likewise' }),
    change_pct: nullable(
      Type.Number({ description: 'Close against open, percent; null without a priced trade' }),
    ),
    high: price('Highest price'),
    low: price('Lowest price'),
  },
  { $id: 'TokenWindow' },
)

export const tokenStats = Type.Object(
  {
    mint: Type.String({ description: 'Token mint' }),
    symbol: nullable(Type.String({ description: TOKEN_TEXTS.name })),
    name: nullable(Type.String({ description: TOKEN_TEXTS.name })),
    decimals: nullable(
      Type.Integer({
        description: TOKEN_TEXTS.decimals,
      }),
    ),
    price_sol: price('Last executed price in the top pool'),
    price_usd: usd({ description: 'The same in US dollars' }),
    price_timestamp: nullable(count({ description: TOKEN_TEXTS.priceTime })),
    market_cap_sol: nullable(
      Type.Number({ description: 'Price times supply; null while one of them is not known' }),
    ),
    market_cap_usd: usd({ description: 'The same in US dollars' }),
    liquidity_sol: nullable(
      Type.Number({ description: `Twice the SOL reserve of the top pool; ${LIQUIDITY_ZERO}` }),
    ),
    liquidity_usd: usd({ description: 'The same in US dollars' }),
    top_pair: nullable(
      Type.String({ description: 'Pool with the largest volume of 24 hours, else traded last' }),
    ),
    first_seen: nullable(int64({ description: 'Unix ms of the first indexed swap' })),
    windows_end: nullable(
      int64({
        description:
          'Unix ms of the moment after the windows; null where it traded in none. A window of n minutes begins n minutes earlier',
      }),
    ),
    windows: Type.Object(
      byWindow(STATS_WINDOWS, () => figures),
      { title: 'TokenWindows' },
    ),
  },
  { $id: 'TokenStats' },
)

export const ofOne = Type.Object({ success: Type.Literal(true), data: tokenStats })
export const ofMany = Type.Object(
  {
    stats: Type.Record(Type.String(), tokenStats, {
      description: 'By mint; unknown ones are absent',
    }),
  },
  { title: 'TokensStats' },
)
