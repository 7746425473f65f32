/** Parameters and response of wallet statistics. Fields are in the interface's order. */
import Type, { type Static } from 'typebox'
import {
  accountAddress,
  count,
  dexFilter,
  nullable,
  sol,
  wallet,
  walletWindow,
} from '../../routing/schema.ts'

export const ofStats = Type.Object({
  w: wallet,
  window: walletWindow,
  dex: Type.Optional(dexFilter),
})

const adjusted = 'by weighted average cost; 0 without a covered sell'

export const walletStats = Type.Object(
  {
    wallet: accountAddress({ description: 'Wallet' }),
    window: Type.String({ description: 'The requested window' }),
    total_trades: count({ description: 'Buys and sells in the window' }),
    win_count: count({ description: 'Covered sells with a profit' }),
    covered_sell_count: count({ description: 'Sells that win_rate is a share of' }),
    win_rate: Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        'Wins by covered sells: a sell of tokens that no buy brought has no profit; 0 without any',
    }),
    total_volume_sol: sol({ description: 'SOL legs of the window' }),
    best_trade_pnl_sol: sol({ description: `Profit of the best sell, ${adjusted}` }),
    best_trade_mint: nullable(accountAddress({ description: 'Its token' })),
    worst_trade_pnl_sol: sol({ description: `Profit of the worst sell, ${adjusted}` }),
    worst_trade_mint: nullable(accountAddress({ description: 'Its token' })),
  },
  { title: 'WalletStats' },
)
export type WalletStatsAnswer = Static<typeof walletStats>
