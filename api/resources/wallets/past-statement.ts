/**
 * Statements of positions as of a slot: the statement of now, in which the tables and functions that change with time stand for
 * what is handed over. The rest of its text is the same, so that its logic exists once.
 *
 *   position                              rows that no later swap changed, and folded ones
 *   token_prices(), sol_usd(), ...        as of the slot: handed, but for prices of pools that no later swap changed
 *   held_token, reconciliation            empty: a balance provider has no past
 *   wallet_tag                            empty: a tag is the work of a job, which has none either
 *   mint_decimals()                       null: the caller completes the rows, of which it has few
 *
 * Decision: docs/decisions/0121-one-statement-of-now-and-then.md
 */
import type { QueryResultRow } from 'pg'
import type { PositionState } from '../../../domain/ledger/position.ts'
import { float8Array, int2Array, int4Array, int8Array } from '../../../sql/binary/arrays.ts'
import { type QueryOptions, query, queryOf } from '../../../sql/query.ts'
import { replaceCalls } from '../../../sql/statements/calls.ts'
import { shadowTable } from '../../../sql/statements/shadowed.ts'
import type { AsOfReading } from '../../routing/reading/as-of.ts'
import type { PastPrice, PastRate } from '../past-market/prices.ts'
import type { FoldedPosition } from './past.ts'

/** Figures that a statement reads in place of the tables. */
export type PastFigures = {
  readonly folded: readonly FoldedPosition[]
  readonly prices: readonly PastPrice[]
  readonly rate: PastRate
  /** Unix ms of the latest swap up to the slot. */
  readonly latestMs: number | null
}

/** Rejects with the database's error. */
type PastStatement<Row> = (
  past: AsOfReading,
  parameters: readonly unknown[],
  figures: PastFigures,
) => Promise<Row[]>

const COMMENTS = /--.*/g
const pastPositions = query('as-of/list_past_positions')
const pastPrices = query('as-of/list_past_prices')
const pastRate = query('as-of/read_given_rate')
/** Tables without a past. */
const EMPTY = {
  held_token: query('as-of/list_no_held_token'),
  reconciliation: query('as-of/list_no_reconciliation'),
  wallet_tag: query('as-of/list_no_wallet_tag'),
}

/** Loads a statement of now as one of a slot. Throws when there is no such statement. */
export function pastStatement<Row extends QueryResultRow = QueryResultRow>(
  path: string,
  options: QueryOptions = {},
): PastStatement<Row> {
  const now = query(path)
  const run = queryOf<Row>(`${now.name}_past`, pastForm(now.text), options)
  return ({ db, slot }, parameters, { folded, prices, rate, latestMs }) =>
    run(db, [
      ...parameters,
      ...[slot, JSON.stringify(folded.map(rowOf))],
      int4Array(prices.map(({ token_id }) => token_id)),
      float8Array(prices.map(({ price }) => price)),
      int8Array(prices.map(({ price_ms }) => price_ms)),
      int2Array(prices.map(({ decimals }) => decimals)),
      ...[rate.rate, rate.minute_ms, rate.source, latestMs, slot],
    ])
}

/** The text of the statement as of a slot. Pure. */
export function pastForm(text: string): string {
  let form = text.replaceAll(COMMENTS, '')
  form = replaceCalls(
    form,
    'token_prices',
    (ids) =>
      `(select handed.* from past_price as handed where handed.token_id in (select unnest(${ids}))
       union all
       select unchanged.token_id, unchanged.price, unchanged.price_ms, unchanged.decimals
       from past_rate
       cross join lateral token_prices_as_of(${ids}, past_rate.slot, past_rate.latest_ms) as unchanged)`,
  )
  form = replaceCalls(form, 'mint_decimals', () => '(select null::smallint as decimals)')
  form = replaceCalls(form, 'sol_usd_quote', () => 'past_rate')
  form = replaceCalls(form, 'sol_usd', () => '(select rate from past_rate)')
  form = replaceCalls(form, 'newest_swap_ms', () => '(select latest_ms from past_rate)')
  form = shadowTable(form.trimStart(), 'position', pastPositions.text)
  form = shadowTable(form, 'past_price', pastPrices.text)
  form = shadowTable(form, 'past_rate', pastRate.text)
  for (const [table, { text: rows }] of Object.entries(EMPTY)) form = shadowTable(form, table, rows)
  return form
}

/** A row of `position`, integers as texts: a number of JSON may be rounded. */
function rowOf({ walletId, tokenId, state }: FoldedPosition): Record<string, unknown> {
  const row: Record<string, unknown> = {
    ...{ wallet_id: walletId, token_id: tokenId },
    ...countsOf(state),
    ...{ balance: state.balance, basis: state.basis, lots_cost: state.lots.cost },
    ...{ realized_strict: state.realizedStrict, realized_adjusted: state.realizedAdjusted },
    ...{ buys_lamports: state.buysLamports, sells_lamports: state.sellsLamports },
    uncovered_quantity: state.uncoveredQuantity,
    uncovered_lamports: state.uncoveredLamports,
    largest_buy_lamports: state.largestBuyLamports,
    largest_sell_lamports: state.largestSellLamports,
    ...{ fastest_flip_ms: state.fastestFlipMs, longest_hold_ms: state.longestHoldMs },
    ...{ first_trade_ms: state.firstTradeMs, last_trade_ms: state.lastTradeMs },
  }
  const texts = Object.entries(row).filter(([, value]) => value !== undefined)
  return Object.fromEntries(texts.map(([name, value]) => [name, String(value)]))
}

const countsOf = (state: PositionState) => ({
  ...{ buy_count: state.buyCount, sell_count: state.sellCount },
  ...{ covered_sell_count: state.coveredSellCount, win_count: state.winCount },
  ...{ transaction_count: state.transactionCount, arbitrage_count: state.arbitrageCount },
})
