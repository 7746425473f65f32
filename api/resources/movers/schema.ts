/** Top movers: parameters and answer. */
import Type, { type Static } from 'typebox'
import { MOVER_TIMEFRAMES } from '../../../domain/time/trade-window.ts'
import { accountAddress, count, venue, venueName } from '../../routing/schema.ts'

const LIMIT_MAX = 500
const LIMIT_DEFAULT = 50

export const moversRequest = Type.Object({
  timeframe: Type.Enum([...MOVER_TIMEFRAMES], {
    description:
      'Window of whole minutes that end with the newest indexed swap, never later than now',
  }),
  protocol: Type.Optional(venue('Pools of this venue only')),
  limit: Type.Integer({
    minimum: 1,
    maximum: LIMIT_MAX,
    default: LIMIT_DEFAULT,
    description: 'Tokens on each side',
  }),
})
export type MoversRequest = Static<typeof moversRequest>

const price = (description: string) =>
  Type.Number({ description: `${description}, executed SOL per whole token` })

const mover = Type.Object(
  {
    mint: accountAddress({ description: 'Mint' }),
    protocols: Type.Array(venueName('Venue by name'), {
      description: 'Venues of the counted pools, in venue order',
    }),
    price_change_pct: Type.Number({ description: 'Percent, close against open' }),
    open_price: price('First trade of the largest pool'),
    close_price: price('Its last trade'),
    high: price('Its highest trade'),
    low: price('Its lowest trade'),
    volume_sol: Type.Number({ description: 'SOL of all trades in all counted pools' }),
    trade_count: count({ description: 'These trades, dust included' }),
  },
  { $id: 'Mover' },
)

export const movers = Type.Object({
  success: Type.Literal(true),
  data: Type.Object(
    {
      timeframe: Type.Enum([...MOVER_TIMEFRAMES], { description: 'As requested' }),
      protocol: venueName('As requested; all without one'),
      gainers: Type.Array(mover),
      losers: Type.Array(mover),
    },
    { title: 'TopMovers' },
  ),
})
export type MoversAnswer = Static<typeof movers>
