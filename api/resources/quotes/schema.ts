/** Quotes: what a trade would get in a pool at the end of a slot. Lamports and base units are whole numbers. */
import Type, { type Static } from 'typebox'
import type { Int64 } from '../../../domain/amount.ts'
import { OUTSIDE_FEE_SOURCES } from '../../../domain/market/outside-fees.ts'
import { NO_QUOTE_REASONS, QUOTE_BASES } from '../../../domain/market/quote.ts'
import { ASSUMED_FEES } from '../../../domain/venue.ts'
import {
  accountAddress,
  count,
  dex,
  int64,
  isBuy,
  nullable,
  signature,
  unbounded,
} from '../../routing/schema.ts'

const assumed = {
  minimum: 0,
  maximum: 10_000,
  description:
    'Protocol and creator fee of PumpSwap in basis points, where the source of the swap before did not state them: 0 leaves them out',
}

export const ofQuote = Type.Object({
  pair_address: accountAddress({ description: 'Pool account, not a mint' }),
  token_address: Type.Optional(
    accountAddress({ description: 'Token mint, where the pool account trades several' }),
  ),
  is_buy: Type.Boolean({ default: true, description: 'true: a buy of the token; false: a sell' }),
  amount_in: Type.Unsafe<Int64>(
    Type.Integer({
      format: 'int64',
      minimum: 1,
      description:
        'Lamports that a buy may spend, fees outside the legs included; base units that a sell gives',
    }),
  ),
  slot: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description:
        'The trade follows the last swap up to the end of this slot; default: the newest',
    }),
  ),
  [ASSUMED_FEES]: Type.Integer({ ...assumed, default: 0 }),
})

const bounds = Type.Object(
  {
    low: unbounded({ description: 'At least' }),
    high: unbounded({ description: 'At most; equal to low where the quote is exact' }),
  },
  { title: 'QuoteRange' },
)
const range = (description: string) => Type.Union([bounds, Type.Null()], { description })

const state = Type.Object(
  {
    signature: signature({ description: 'Transaction of the swap that the trade would follow' }),
    slot: int64({ description: 'Block slot' }),
    block_tx_index: int64({ description: 'Place of the transaction in its block' }),
    ix_index: Type.Integer({ description: 'Index within the transaction, by its decoder' }),
    timestamp: int64({ description: 'Unix milliseconds' }),
    sol_reserves: nullable(
      unbounded({
        description:
          'Lamports that price the trade (virtual ones on a curve), with later changes of liquidity; null where not exact',
      }),
    ),
    token_reserves: nullable(unbounded({ description: 'Base units of these reserves' })),
    unreported_lamports: unbounded({
      description: 'Lamports that the pool counts into its price in addition to sol_reserves',
    }),
  },
  { title: 'QuoteState' },
)

export const quoteAnswer = Type.Object(
  {
    pair_address: accountAddress({ description: 'Pool account' }),
    token_address: nullable(accountAddress({ description: 'Token mint; null of an unknown pool' })),
    dex: nullable(dex),
    decimals: nullable(Type.Integer({ description: 'Decimals of the token' })),
    is_buy: isBuy,
    slot: nullable(
      int64({
        description: 'End of the slot for which the trade is quoted; null: nothing is indexed',
      }),
    ),
    basis: Type.Enum([...QUOTE_BASES], {
      title: 'QuoteBasis',
      description:
        "exact: the venue's formula reproduces the swap before; bounded: by the swaps that followed; none: see reason",
    }),
    reason: nullable(
      Type.Enum([...NO_QUOTE_REASONS], {
        title: 'NoQuoteReason',
        description:
          'no_swap: none so far, or an unknown pool; pool_closed: a curve that migrated; coverage: slots since the swap before were not read; ' +
          'order_unknown: of swaps in one slot; liquidity: changed by unknown amounts, or in a pool without a formula; ' +
          'no_depth: too little was traded on this side afterwards; no_marginal_price: no price to begin with; ' +
          'inconsistent: the fee changed',
      }),
    ),
    state: nullable(state),
    sol_lamports: range('SOL leg'),
    tokens: range('Token leg, base units'),
    pool_fee_lamports: nullable(
      count({ description: "The pool's fee within the SOL leg; null where not exact" }),
    ),
    pool_fee_tokens: nullable(count({ description: 'The same within the token leg, base units' })),
    outside_fees_lamports: range('Fees outside the legs'),
    outside_fees_source: nullable(
      Type.Enum([...OUTSIDE_FEE_SOURCES], {
        title: 'OutsideFeesSource',
        description: `none: the venue takes no fee outside the legs; stated: by the rates of the swap before; assumed: it states none, and ${ASSUMED_FEES} is charged`,
      }),
    ),
    total_lamports: range('SOL leg with the outside fees: paid for a buy, received for a sell'),
    price_impact_bps: range(
      'Price of the legs against that before the trade, rounded up; positive is against the trader; null without a price',
    ),
    evidence_swaps: count({
      description: 'Swaps afterwards by which it is bounded; 0 where exact',
    }),
    assumptions: Type.Object(
      {
        [ASSUMED_FEES]: Type.Integer(assumed),
        is_fee_unchanged: Type.Boolean({
          description: 'Whether the bounds assume that the fee did not change along the evidence',
        }),
      },
      { title: 'QuoteAssumptions' },
    ),
  },
  { title: 'Quote' },
)
export type QuoteAnswer = Static<typeof quoteAnswer>
