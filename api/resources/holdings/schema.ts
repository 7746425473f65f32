/** Parameters and response of holdings. Fields are in the interface's order. */
import Type, { type Static } from 'typebox'
import { accountAddress, dexFilter, nullable, sol, usd, wallet } from '../../routing/schema.ts'

export const ofHoldings = Type.Object({
  w: wallet,
  dex: Type.Optional(dexFilter),
})

const holding = Type.Object(
  {
    mint: accountAddress({ description: 'Token' }),
    qty: Type.Number({ description: 'Whole tokens' }),
    no_cost_basis: Type.Boolean({
      description: 'No indexed buy brought the balance: airdrops and transfers have no cost',
    }),
    price_stale: Type.Boolean({
      description: 'No price, or one over 24 hours older than the newest indexed swap',
    }),
    cost_basis_sol: nullable(
      sol({ description: 'Cost of the remaining lots (FIFO); null when no_cost_basis' }),
    ),
    current_value_sol: nullable(
      sol({ description: 'Value by the price of now; null without a price' }),
    ),
    current_value_usd: usd({ description: 'Value by the price of now' }),
    unrealized_pnl_sol: nullable(
      sol({ description: 'Value less cost basis; null where either is not known' }),
    ),
  },
  { title: 'Holding' },
)
export type HoldingAnswer = Static<typeof holding>

export const walletHoldings = Type.Object(
  {
    wallet: accountAddress({ description: 'Wallet' }),
    holdings_source: Type.Enum(['onchain', 'fifo_fallback'], {
      title: 'HoldingsSource',
      description:
        'onchain: balances of the balance provider; fifo_fallback: those that the indexed swaps leave, ' +
        'because there is no provider or it does not answer',
    }),
    holdings: Type.Array(holding, { description: 'The most valuable first' }),
    computed_at: Type.Integer({ description: 'Unix ms when it was put together' }),
  },
  { title: 'WalletHoldings' },
)
export type HoldingsAnswer = Static<typeof walletHoldings>
