/** The portfolio chart of a wallet: parameters and answer. */
import Type, { type Static } from 'typebox'
import { WALLET_WINDOWS } from '../../../domain/time/wallet-window.ts'
import { sol, usd, utcDate, wallet } from '../../routing/schema.ts'
import { coverageGaps } from '../coverage/schema.ts'

const window = Type.Enum([...WALLET_WINDOWS], {
  default: '90d',
  description: 'Today and so many days before it; all: every day since the first indexed trade',
})

export const ofChart = Type.Object({ w: wallet, window })

const point = Type.Object(
  {
    day: utcDate({ description: 'UTC day, YYYY-MM-DD' }),
    value_sol: sol({
      description: "Value of the balances at the day's end, by the closes of that day",
    }),
    value_usd: usd({ description: 'The same by the rate of now; null while there is no rate' }),
    provisional: Type.Boolean({ description: 'false: closed, never to change' }),
  },
  { $id: 'ChartPoint', title: 'ChartPoint' },
)
export type ChartPoint = Static<typeof point>

export const walletChart = Type.Object(
  {
    wallet,
    window,
    series: Type.Array(point, {
      description:
        'One point a day before today from the first trade on, ascending: closed days, followed by ' +
        'those that the newest indexed swap is not past yet, with provisional true',
    }),
    today: point,
    computed_at: Type.Integer({ description: 'Unix milliseconds' }),
    coverage_gaps: coverageGaps('the time since the first indexed trade of the wallet'),
  },
  { $id: 'WalletChart', title: 'WalletChart' },
)
export type WalletChart = Static<typeof walletChart>
export type ChartWanted = Static<typeof ofChart>
