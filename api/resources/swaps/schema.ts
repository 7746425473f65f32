/**
 * The Swap of every /swaps route, and the parameters of its lists. Fields are in the interface's
 * order; the same object validates, serializes and documents.
 */
import Type, { type Static } from 'typebox'
import {
  accountAddress,
  cursor,
  dex,
  dexFilter,
  feedList,
  fromMs,
  int64,
  isBuy,
  limit,
  minSol,
  nullable,
  order,
  signature,
  toMs,
} from '../../routing/schema.ts'

const LIMIT_MAX = 1000
const LIMIT_DEFAULT = 100
const WHALE_MIN_SOL = 10

const lamports = (description: string) => int64({ description: `${description}, lamports` })
const baseUnits = (description: string) => int64({ description: `${description}, base units` })
const bps = (description: string) =>
  Type.Integer({ description: `${description}, basis points`, format: 'int32' })

export const swap = Type.Object(
  {
    signature: signature({ description: 'Transaction signature' }),
    slot: int64({ description: 'Block slot' }),
    timestamp: int64({ description: 'Unix milliseconds' }),
    token_address: accountAddress({ description: 'The token bought or sold' }),
    pair_address: accountAddress({ description: 'Pool account' }),
    user: accountAddress({ description: 'Trader wallet' }),
    is_buy: isBuy,
    dex,
    sol_amount: lamports('SOL leg'),
    token_amount: baseUnits('Token leg'),
    fee: lamports('LP fee paid'),
    fee_bps: bps('Effective LP fee'),
    creator_fee: lamports('Creator fee paid'),
    creator_fee_bps: bps('Creator fee'),
    price_per_token: Type.Number({
      description: 'Executed price, lamports per token base unit: sol_amount / token_amount',
    }),
    pool_price: Type.Number({
      description: 'Reported SOL reserve over token reserve, SOL per whole token: no quote',
    }),
    price_impact_bps: nullable(
      Type.Integer({
        minimum: -32_768,
        maximum: 32_767,
        description: 'Executed price against the pool; positive: against the trader',
      }),
    ),
    base_decimals: Type.Integer({ description: 'Decimals of SOL: 9', format: 'int32' }),
    quote_decimals: Type.Integer({ description: 'Decimals of the token itself', format: 'int32' }),
    virtual_sol_reserves: lamports('Virtual SOL reserves of the bonding curve'),
    virtual_token_reserves: baseUnits('Virtual token reserves'),
    real_sol_reserves: lamports('SOL reserves as reported with the swap'),
    real_token_reserves: baseUnits('Token reserves as reported with the swap'),
    transfer_fee_in: int64({ description: 'Token-2022 transfer fee on the input side' }),
    transfer_fee_out: int64({ description: 'Token-2022 transfer fee on the output side' }),
    cashback: lamports('Cashback to the trader'),
    cashback_bps: bps('Cashback'),
    block_tx_index: int64({ description: 'Place of the transaction in its block' }),
    ix_index: Type.Integer({
      description: 'Index within the transaction, by its decoder',
      format: 'int32',
    }),
    time_source: Type.Integer({ description: 'Where the timestamp comes from', format: 'int32' }),
    agent_trade: Type.Integer({
      description: "2: a trade of the launch venue's own agent",
      format: 'int32',
    }),
  },
  { $id: 'Swap', title: 'Swap' },
)
export type SwapAnswer = Static<typeof swap>

export const signatureSwaps = Type.Object(
  {
    signature: signature({ description: 'The requested signature' }),
    total: Type.Integer({ minimum: 1, description: 'swaps.length: never paged' }),
    swaps: Type.Array(swap, { minItems: 1 }),
    price_semantics: Type.String({
      description: 'How price fields are derived; wording may change',
    }),
  },
  { title: 'Transaction' },
)

export const swapList = feedList(swap)

const page = { limit: limit(LIMIT_MAX, LIMIT_DEFAULT), cursor: Type.Optional(cursor), order }
const traits = { dex: Type.Optional(dexFilter), is_buy: Type.Optional(isBuy) }
const anySol = { min_sol: Type.Optional(minSol()) }
const window = { from: Type.Optional(fromMs), to: Type.Optional(toMs) }
const slotBound = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description })
const orderFields = {
  token_address: Type.Optional(accountAddress({ description: 'Token mint' })),
  pair_address: Type.Optional(accountAddress({ description: 'Pool account, not a mint' })),
  user: Type.Optional(accountAddress({ description: 'Trader wallet' })),
}

export const bySignature = Type.Object({
  signature: signature({ description: 'Transaction signature' }),
})
export const listed = Type.Object({ ...orderFields, ...traits, ...anySol, ...page })
export const ranged = Type.Object({
  ...orderFields,
  ...traits,
  ...window,
  start_slot: Type.Optional(slotBound('First slot, inclusive')),
  end_slot: Type.Optional(slotBound('Last slot, inclusive')),
  ...anySol,
  ...page,
})
export const whales = Type.Object({
  ...orderFields,
  ...traits,
  min_sol: minSol({ default: WHALE_MIN_SOL }),
  ...page,
})
export const byTrader = Type.Object({
  wallet: accountAddress({ description: 'Trader wallet' }),
  ...traits,
  ...window,
  ...anySol,
  ...page,
})
export const byToken = Type.Object({
  mint: accountAddress({ description: 'Token mint' }),
  ...traits,
  ...window,
  ...anySol,
  ...page,
})
