/**
 * The proof of a position: sells, the buys that each matched, open lots and totals. Lamports and base units
 * are whole numbers, written digit for digit whatever their size.
 */
import Type, { type Static } from 'typebox'
import {
  accountAddress,
  cursor,
  dex,
  int64,
  limit,
  nullable,
  signature,
  unbounded,
  wallet,
} from '../../routing/schema.ts'

const LIMIT_MAX = 1000
const LIMIT_DEFAULT = 100

export const ofLots = Type.Object({
  wallet,
  mint: accountAddress({ description: 'Token mint' }),
  limit: limit(LIMIT_MAX, LIMIT_DEFAULT),
  cursor: Type.Optional(cursor),
})

/** A whole number of any size: sums may pass int64. */
const whole = (unit: string) => (description: string) =>
  unbounded({ description: `${description}, ${unit}` })
const lamports = whole('lamports')
const baseUnits = whole('base units')
const tally = (description: string) => Type.Integer({ minimum: 0, description })

const orderFields = {
  signature: signature({ description: 'Transaction signature' }),
  slot: int64({ description: 'Block slot' }),
  block_tx_index: int64({ description: 'Place of the transaction in its block' }),
  ix_index: Type.Integer({ description: 'Index within the transaction, by its decoder' }),
  dex,
  pair_address: accountAddress({ description: 'Pool account' }),
  timestamp: int64({ description: 'Unix milliseconds' }),
}

export const matchedBuy = Type.Object(
  {
    signature: signature({ description: 'Transaction signature of the buy' }),
    timestamp: int64({ description: 'Time of the buy, Unix milliseconds' }),
    quantity: baseUnits('Taken from its lot'),
    cost_lamports: lamports(
      'Taken with it: floor(lot_cost_before * quantity / lot_quantity_before)',
    ),
    lot_quantity_before: baseUnits('Quantity of the lot before this sell'),
    lot_cost_before_lamports: lamports('Cost of that quantity'),
  },
  { title: 'MatchedBuy' },
)

const provenSell = Type.Object(
  {
    ...orderFields,
    quantity: baseUnits('Left the wallet: token_amount + transfer_fee_in'),
    covered_quantity: baseUnits('min(quantity, balance before)'),
    proceeds_lamports: lamports('sol_amount'),
    covered_proceeds_lamports: lamports('floor(proceeds * covered_quantity / quantity)'),
    matched_cost_lamports: lamports('FIFO: sum of cost_lamports over all matches'),
    realized_strict_lamports: lamports('covered_proceeds - matched_cost'),
    balance_before: baseUnits('Running average: balance before the sell'),
    basis_before_lamports: lamports('Running average: cost of that balance'),
    average_cost_lamports: lamports('floor(basis_before * covered_quantity / balance_before)'),
    realized_adjusted_lamports: lamports('covered_proceeds - average_cost'),
    match_count: tally('Buys that it matched'),
    matches_from: tally('Matches in earlier pages: 0 unless the sell continues from one'),
    matches: Type.Array(matchedBuy, { description: 'Oldest first' }),
  },
  { title: 'ProvenSell' },
)

export const openLot = Type.Object(
  {
    ...orderFields,
    bought_quantity: baseUnits('Arrived: token_amount - transfer_fee_out'),
    bought_lamports: lamports('sol_amount'),
    quantity: baseUnits('Remaining quantity'),
    cost_lamports: lamports('Remaining cost'),
  },
  { title: 'Lot' },
)

const totals = Type.Object(
  {
    swap_count: tally('Swaps folded'),
    buy_count: tally('Buys'),
    sell_count: tally('Sells'),
    covered_sell_count: tally('Sells with a balance to match'),
    open_lot_count: tally('Lots with a quantity'),
    balance: baseUnits('Sum of open quantities'),
    buys_lamports: lamports('Spent'),
    sells_lamports: lamports('Received'),
    realized_raw_lamports: lamports('sells - buys'),
    realized_strict_lamports: lamports('Sum over sells'),
    realized_adjusted_lamports: lamports('Sum over sells'),
    cost_basis_strict_lamports: lamports('Sum of the remaining costs of the open lots'),
    cost_basis_adjusted_lamports: lamports('Remaining cost by the running average'),
    uncovered_sell_quantity: baseUnits('Sold beyond the balance'),
    uncovered_sell_lamports: lamports('Proceeds of that'),
  },
  { title: 'LotTotals' },
)

export const positionLots = Type.Object(
  {
    wallet: accountAddress({ description: 'Wallet' }),
    mint: accountAddress({ description: 'Token mint' }),
    decimals: nullable(
      Type.Integer({ description: 'Decimals of the token; null without a position' }),
    ),
    totals,
    sells: Type.Array(provenSell),
    lots: Type.Array(openLot, { description: 'Open ones, oldest first, after the last sell' }),
    next_cursor: nullable(Type.String({ description: 'null at the end' })),
  },
  { title: 'PositionLots' },
)
export type PositionLotsAnswer = Static<typeof positionLots>
