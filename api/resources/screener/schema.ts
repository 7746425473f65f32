/** Parameters and answer of the screener. */
import Type from 'typebox'
import { WINDOW_NAMES } from '../../../domain/time/trade-window.ts'
import {
  accountAddress,
  count,
  int64,
  limit,
  mints,
  nullable,
  offset,
  protocol,
  sector,
  unknownNames,
  usd,
  venueName,
} from '../../routing/schema.ts'

const SCREENER_SORTS = [
  'volume_usd',
  'price_usd',
  'liquidity_usd',
  'change_pct',
  'trades',
  'buyers',
  'holders',
  'age_minutes',
] as const
export type ScreenerSort = (typeof SCREENER_SORTS)[number]

const MINTS_MAX = 200
const GREATEST = 1e15

const bound = (description: string, minimum = 0) =>
  Type.Optional(Type.Number({ minimum, maximum: GREATEST, description }))
const whole = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: 1e12, description }))

export const ofScreener = Type.Object({
  mint: Type.Optional(accountAddress({ description: 'This token only' })),
  'mints[]': Type.Optional(mints(MINTS_MAX, 'These tokens only, given again and again or')),
  creator: Type.Optional(accountAddress({ description: 'Tokens of this creator' })),
  sector: Type.Optional(sector),
  protocol: Type.Optional(protocol),
  min_price_usd: bound('Least price'),
  max_price_usd: bound('Greatest price'),
  min_volume_usd: bound('Least volume in the window'),
  max_volume_usd: bound('Greatest volume in the window'),
  min_liquidity_usd: bound('Least liquidity of the top pool'),
  max_liquidity_usd: bound('Greatest liquidity of the top pool'),
  min_change_pct: bound('Least change of the price in the window', -100),
  max_change_pct: bound('Greatest change of the price in the window', -100),
  min_trades: whole('Least trades in the window'),
  max_trades: whole('Most trades in the window'),
  min_buyers: whole('Least distinct buyers in the window'),
  max_buyers: whole('Most distinct buyers in the window'),
  min_age_minutes: whole(
    'Least age: whole minutes from the first indexed swap to the newest of all',
  ),
  max_age_minutes: whole('Greatest age'),
  min_holders: whole('Least holders'),
  max_holders: whole('Most holders'),
  window: Type.Enum([...WINDOW_NAMES], { default: '24h', description: 'Trailing window' }),
  sort: Type.Enum([...SCREENER_SORTS], {
    default: 'volume_usd',
    description: 'Figure that orders the rows',
  }),
  order: Type.Enum(['asc', 'desc'], {
    default: 'desc',
    description: 'Tokens without the figure come last; ties by mint',
  }),
  limit: limit(200, 50),
  offset,
  unsupported: unknownNames,
})

const screened = Type.Object(
  {
    mint: Type.String({ description: 'Token mint' }),
    symbol: nullable(Type.String()),
    name: nullable(Type.String()),
    sector: nullable(Type.String()),
    protocols: Type.Array(venueName('Venue by name'), {
      description: 'Venues on which it has a pool that traded in the window',
    }),
    price_sol: nullable(Type.Number({ description: 'Last executed price in the top pool' })),
    price_usd: usd({ description: 'The same in US dollars' }),
    volume_sol: Type.Number({ description: 'SOL of all trades in the window' }),
    volume_usd: usd({ description: 'The same in US dollars' }),
    liquidity_sol: nullable(Type.Number({ description: 'Twice the SOL reserve of the top pool' })),
    liquidity_usd: usd({ description: 'The same in US dollars' }),
    change_pct: nullable(
      Type.Number({ description: 'Change of the price in the window, percent' }),
    ),
    trades: count({ description: 'Trades in the window, dust included' }),
    buys: count({ description: 'Buys in the window, dust included' }),
    sells: count({ description: 'Sells in the window, dust included' }),
    buyers: count({
      description: 'Distinct buyers: exact to 1,024, then +- 3.1 % (standard error)',
    }),
    sellers: count({ description: 'Distinct sellers, likewise' }),
    holders: count({ description: 'Wallets with a positive balance in the ledger' }),
    age_minutes: nullable(
      int64({ description: 'Whole minutes from the first indexed swap to the newest of all' }),
    ),
  },
  { $id: 'ScreenedToken' },
)

export const results = Type.Object(
  {
    results: Type.Array(screened),
    total_matches: count({ description: 'Tokens that fit, whatever limit and offset' }),
    limit: Type.Integer(),
    offset: Type.Integer(),
    warnings: Type.Array(Type.String({ description: 'Part of the request that had no effect' })),
  },
  { title: 'ScreenedTokens' },
)
