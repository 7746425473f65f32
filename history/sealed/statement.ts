/**
 * Statements of stored swaps that also read swaps that were taken from sealed history. The caller hands these over, and the
 * statement reads them as if they were rows of `swap`; without any it is the statement of sql/queries, unchanged.
 * Rows that the statement does not need may be handed over, too; a row must not be both handed over and in the table.
 */
import type { QueryResultRow } from 'pg'
import {
  asciiArray,
  boolArray,
  float8Array,
  int2Array,
  int4Array,
  int8Array,
  optionalInt8Array,
} from '../../sql/binary/arrays.ts'
import type { Queryable } from '../../sql/driver/queryable.ts'
import { type Query, type QueryOptions, query, queryOf, variants } from '../../sql/query.ts'
import { shadowTable } from '../../sql/statements/shadowed.ts'
import type { StoredSwap } from './stored-swap.ts'

/** Runs it over the table and `handed`; rejects with the database's error. */
export type SwapStatement<Row> = (
  db: Queryable,
  parameters: readonly unknown[],
  handed: readonly StoredSwap[],
) => Promise<Row[]>

/** A bound of memory and time: a statement encodes the swaps, and looks at each of them for each row of a join. */
export const HANDED_MAX = 200_000

const withHanded = query('swap-history/list_with_handed')

/** Loads a statement of the topic `swap-history`. Throws when there is no such statement. */
export function swapStatement<Row extends QueryResultRow = QueryResultRow>(
  path: string,
  options: QueryOptions = {},
): SwapStatement<Row> {
  return overBoth(query<Row>(path, options), options)
}

/** Loads all statements of a template by variant. Throws when the names are not those that the template lists. */
export function swapVariants<Row extends QueryResultRow, Name extends string>(
  path: string,
  names: readonly Name[],
  options: QueryOptions = {},
): Readonly<Record<Name, SwapStatement<Row>>> {
  const hot = variants<Row, Name>(path, names, options)
  const loaded = names.map((name) => [name, overBoth(hot[name], options)])
  return Object.fromEntries(loaded) as Record<Name, SwapStatement<Row>>
}

function overBoth<Row extends QueryResultRow>(
  hot: Query<Row>,
  { isPlannedBySetting = false }: QueryOptions,
): SwapStatement<Row> {
  // Planned for the number of rows that are handed over, which a plan for all values assumes to be ten.
  const both = queryOf<Row>(`${hot.name}_sealed`, sealedForm(hot.text), {
    isPlannedAnew: true,
    isPlannedBySetting,
  })
  return (db, parameters, handed) =>
    handed.length === 0 ? hot(db, parameters) : both(db, [...parameters, ...handedColumns(handed)])
}

/** The text of a statement that reads the swaps that are handed over, too. */
export function sealedForm(text: string): string {
  return shadowTable(text, 'swap', withHanded.text)
}

/** Parameters of the fragment `handed_swaps`. */
export function handedColumns(rows: readonly StoredSwap[]): Buffer[] {
  return [
    int8Array(rows.map((row) => row.slot)),
    int8Array(rows.map((row) => row.block_tx_index)),
    int8Array(rows.map((row) => row.timestamp_ms)),
    int8Array(rows.map((row) => row.sol_amount)),
    int8Array(rows.map((row) => row.token_amount)),
    int8Array(rows.map((row) => row.fee)),
    int8Array(rows.map((row) => row.creator_fee)),
    int8Array(rows.map((row) => row.virtual_sol_reserves)),
    int8Array(rows.map((row) => row.virtual_token_reserves)),
    int8Array(rows.map((row) => row.real_sol_reserves)),
    int8Array(rows.map((row) => row.real_token_reserves)),
    int8Array(rows.map((row) => row.transfer_fee_in)),
    int8Array(rows.map((row) => row.transfer_fee_out)),
    int8Array(rows.map((row) => row.cashback)),
    optionalInt8Array(rows.map((row) => row.price_impact_bps)),
    float8Array(rows.map((row) => row.pool_price)),
    float8Array(rows.map((row) => row.price_before)),
    float8Array(rows.map((row) => row.price_after)),
    int4Array(rows.map((row) => row.pool_id)),
    int4Array(rows.map((row) => row.wallet_id)),
    int4Array(rows.map((row) => row.ix_index)),
    int4Array(rows.map((row) => row.fee_bps)),
    int4Array(rows.map((row) => row.creator_fee_bps)),
    int4Array(rows.map((row) => row.cashback_bps)),
    int4Array(rows.map((row) => row.time_source)),
    int4Array(rows.map((row) => row.agent_trade)),
    int2Array(rows.map((row) => row.dex)),
    int2Array(rows.map((row) => row.quote_decimals)),
    boolArray(rows.map((row) => row.is_buy)),
    asciiArray(rows.map((row) => row.signature)),
    int2Array(rows.map((row) => row.wallet_tags)),
    optionalInt8Array(rows.map((row) => row.virtual_quote_reserves)),
    asciiArray(rows.map((row) => row.blockhash)),
    int2Array(rows.map((row) => row.outside_protocol_bps)),
    int2Array(rows.map((row) => row.outside_creator_bps)),
  ]
}
