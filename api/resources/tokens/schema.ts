/** Schemas of a token's holders. */
import Type, { type Static } from 'typebox'
import { TIERS } from '../../routing/caller.ts'
import {
  accountAddress,
  cursor,
  int64,
  limit,
  nullable,
  sol,
  unbounded,
  usd,
} from '../../routing/schema.ts'

/** Descriptions of the fields by which a token names what lies elsewhere. */
export const URI_TEXT =
  'Address of the document that the mint names, as its creator wrote it: any text, not checked, and not requested by default'
export const IMAGE_TEXT =
  'Link to the picture that this document names, not checked; null unless the operator has switched such requests on'

export const mint = accountAddress({ description: 'Mint' })
export const computedAt = Type.Integer({ minimum: 0, description: 'Unix ms' })

export const ofToken = Type.Object({ mint })
export const holdersRequest = Type.Object({
  mint,
  limit: limit(1000, 100),
  cursor: Type.Optional(cursor),
})
export const holderPositionsRequest = Type.Object({ mint, limit: limit(1000, 100) })

/** Sums over all holders may pass int64. */
export const baseUnits = (description: string) =>
  unbounded({ minimum: 0, description: `${description}, base units` })

export const percent = (description: string) =>
  Type.Number({ minimum: 0, description: `${description}, 0..100` })

const holding = {
  balance_atomic: baseUnits('Balance that the indexed swaps leave'),
  qty: Type.Number({ minimum: 0, description: 'Whole tokens' }),
  share_pct: percent('Share in the balances of all holders of the ledger'),
  current_value_sol: nullable(sol({ description: 'null without a price' })),
  current_value_usd: usd({ description: 'null without a price or a rate' }),
}

export const holders = Type.Object(
  {
    mint,
    holder_count: Type.Integer({ minimum: 0 }),
    held_supply: baseUnits('Sum of the balances of all holders'),
    holders: Type.Array(
      Type.Object(
        {
          wallet: accountAddress({ description: 'Wallet' }),
          ...holding,
          tags: Type.Array(Type.String(), { description: 'Tags of the wallet for this mint' }),
        },
        { title: 'Holder' },
      ),
      { description: 'The largest first, ties by wallet' },
    ),
    next_cursor: nullable(Type.String({ description: 'null at the end of the list' })),
    computed_at: computedAt,
  },
  { title: 'TokenHolders' },
)
export type HoldersAnswer = Static<typeof holders>

const stake = Type.Object(
  {
    wallet: accountAddress({ description: 'Wallet' }),
    tag: Type.Enum(['whale', 'smart_money']),
    score: Type.Number({ minimum: 0, maximum: 1 }),
    position: Type.Object(
      {
        ...holding,
        cost_basis_sol: sol({ description: 'Weighted average cost of the balance' }),
        unrealized_sol: nullable(sol({ description: 'null without a price' })),
        total_buys_sol: sol({ description: 'Total cost of all buys' }),
        total_sells_sol: sol({ description: 'Total proceeds of all sells' }),
        largest_buy_sol: sol({ description: 'The largest single buy' }),
        first_trade_ts: int64({ description: 'Unix ms' }),
        last_trade_ts: int64({ description: 'Unix ms' }),
      },
      { title: 'StakePosition' },
    ),
    realized_sol: sol({ description: 'Realized PnL by weighted average cost' }),
    realized_usd: usd({ description: 'null without a rate' }),
  },
  { title: 'Stake' },
)

/** Locked: it has tier_required and upgrade_url, and results are empty. */
export const holderPositions = Type.Object(
  {
    mint,
    results: Type.Array(stake),
    total: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Number of all such wallets, whatever the limit' }),
    ),
    tier_locked: Type.Boolean(),
    tier_required: Type.Optional(Type.Enum([...TIERS])),
    upgrade_url: Type.Optional(Type.String()),
    computed_at: computedAt,
  },
  { title: 'TokenStakes' },
)
export type HolderPositionsAnswer = Static<typeof holderPositions>
