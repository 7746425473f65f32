/** Answers of the market's totals and of the list of venues. */
import Type from 'typebox'
import { byWindow, MARKET_WINDOWS } from '../../../domain/time/trade-window.ts'
import { DEX_MAX, DEX_MIN, VENUE_KINDS } from '../../../domain/venue.ts'
import { count, nullable, venueName } from '../../routing/schema.ts'
import { coverageGaps } from '../coverage/schema.ts'

export const ofNothing = Type.Object({})

const totals = Type.Object(
  {
    swaps: count({ description: 'Trades, dust included' }),
    volume_sol: Type.Number({ description: 'SOL of all trades' }),
    traders: count({
      description: 'Distinct wallets: exact to 1,024, then with a standard error of 3.1 %',
    }),
    tokens: count({ description: 'Distinct mints that traded' }),
    pools: count({ description: 'Distinct pools that traded' }),
  },
  { $id: 'MarketTotals' },
)

export const stats = Type.Object({
  success: Type.Literal(true),
  data: Type.Object(
    {
      windows: Type.Object(
        byWindow(MARKET_WINDOWS, () => totals),
        { title: 'MarketWindows' },
      ),
      newest_slot: nullable(count({ description: 'Greatest slot of an indexed swap' })),
      newest_timestamp: nullable(
        count({
          description:
            'Unix ms at which the windows end: the newest indexed swap, never later than now',
        }),
      ),
      indexing_lag_ms: nullable(
        count({ description: 'Milliseconds from the newest indexed swap to now' }),
      ),
      coverage_gaps: coverageGaps('the 24 hours'),
    },
    { title: 'MarketStats' },
  ),
})

export const protocols = Type.Object({
  success: Type.Literal(true),
  data: Type.Array(
    Type.Object(
      {
        protocol: venueName('Name, as parameters and feeds have it'),
        dex: Type.Integer({
          minimum: DEX_MIN,
          maximum: DEX_MAX,
          description: 'DexId, as swaps have it',
        }),
        kind: Type.Enum([...VENUE_KINDS], { title: 'VenueKind' }),
        pools: count({ description: 'Pools with an indexed swap' }),
        swaps_24h: count({ description: 'Trades of the trailing 24 hours, dust included' }),
        volume_sol_24h: Type.Number({ description: 'SOL of these trades' }),
      },
      { $id: 'Protocol' },
    ),
  ),
})
