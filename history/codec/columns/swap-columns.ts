/**
 * Rows of a block by column, and the links between rows that predictions follow: the row before in the pool, and for
 * rows without one the row of the venue that began its pool before. Pure.
 */
import {
  DOUBLES,
  type DoubleName,
  INTEGERS,
  type IntegerName,
  NULLABLE,
  type NullableName,
  RANGES,
  type Range,
  type SealedSwap,
} from '../row.ts'
import { Int64Column } from './int64-column.ts'

/** All rows, those that begin their pool in the block, and the others: ascending. */
type RowSets = { all: Int32Array; firsts: Int32Array; followers: Int32Array }

export class SwapColumns {
  readonly count: number
  readonly integers: Record<IntegerName, Int64Column>
  readonly nullable: Record<NullableName, Int64Column>
  readonly isBuy: Int64Column
  /** Null rows of a column have 1 here and any value in its column. */
  readonly nulls: Record<NullableName | DoubleName, Uint8Array>
  readonly doubles: Record<DoubleName, Float64Array>
  /** The distance to an earlier row with the same signature, 0 for a row that has its own. */
  readonly signatureBack: Int64Column
  /** The row before in the pool, -1 where there is none. */
  readonly previous: Int32Array
  /** For a row that begins its pool: the one before of the same venue, -1 where there is none. */
  readonly ofVenue: Int32Array
  readonly rows: RowSets

  constructor(count: number) {
    this.count = count
    const integers = (): Int64Column => new Int64Column(count)
    this.integers = eachOf(namesOf(INTEGERS), integers)
    this.nullable = eachOf(namesOf(NULLABLE), integers)
    this.isBuy = integers()
    this.nulls = eachOf([...namesOf(NULLABLE), ...DOUBLES], () => new Uint8Array(count))
    this.doubles = eachOf(DOUBLES, () => new Float64Array(count))
    this.signatureBack = integers()
    this.previous = new Int32Array(count).fill(-1)
    this.ofVenue = new Int32Array(count).fill(-1)
    const all = Int32Array.from({ length: count }, (_, row) => row)
    this.rows = { all, firsts: all, followers: all }
  }

  /** To be called when `pool_id` is known: later columns of both directions depend on it. */
  linkPools(): void {
    linkEqual(this.integers.pool_id, this.rows.all, this.previous)
    this.rows.firsts = this.rows.all.filter((row) => (this.previous[row] as number) < 0)
    this.rows.followers = this.rows.all.filter((row) => (this.previous[row] as number) >= 0)
  }

  /** To be called when `dex` is known. */
  linkVenues(): void {
    linkEqual(this.integers.dex, this.rows.firsts, this.ofVenue)
  }
}

function linkEqual(ids: Int64Column, rows: Int32Array, into: Int32Array): void {
  const last = new Map<number, number>()
  for (const row of rows) {
    const id = ids.low[row] as number
    into[row] = last.get(id) ?? -1
    last.set(id, row)
  }
}

const namesOf = <Name extends string>(table: Record<Name, unknown>): Name[] =>
  Object.keys(table) as Name[]

function eachOf<Name extends string, Value>(names: readonly Name[], make: () => Value) {
  return Object.fromEntries(names.map((name) => [name, make()])) as Record<Name, Value>
}

/** Throws RangeError for a value that no row of `swap` can have; signatures are not among the columns. */
export function columnsOf(rows: readonly SealedSwap[]): SwapColumns {
  const columns = new SwapColumns(rows.length)
  for (const name of namesOf(INTEGERS)) {
    const column = columns.integers[name]
    for (let row = 0; row < rows.length; row++) column.set(row, rows[row]![name])
    requireRange(column, columns.rows.all, INTEGERS[name], name)
  }
  for (const name of namesOf(NULLABLE)) {
    const column = columns.nullable[name]
    for (let row = 0; row < rows.length; row++) {
      const value = rows[row]![name]
      if (value === null) columns.nulls[name][row] = 1
      else column.set(row, value)
    }
    requireRange(column, columns.rows.all, NULLABLE[name], name)
  }
  for (const name of DOUBLES) {
    const column = columns.doubles[name]
    for (let row = 0; row < rows.length; row++) {
      const value = rows[row]![name]
      if (value === null) columns.nulls[name][row] = 1
      else column[row] = value
    }
  }
  for (let row = 0; row < rows.length; row++) columns.isBuy.set(row, rows[row]!.is_buy ? 1 : 0)
  columns.linkPools()
  columns.linkVenues()
  return columns
}

function requireRange(column: Int64Column, rows: Int32Array, range: Range, name: string): void {
  const row = beyond(column, rows, range)
  if (row === undefined) return
  throw new RangeError(`${name} ${column.get(row)} of row ${row}: expected an ${range}`)
}

/** The first of these rows whose value is outside the range. */
export function beyond(column: Int64Column, rows: Int32Array, range: Range): number | undefined {
  if (range === 'int8') return undefined
  const [least, greatest] = BOUNDS[range]
  for (const row of rows) {
    const high = column.high[row] as number
    const near = high * 2 ** 32 + ((column.low[row] as number) >>> 0)
    // Beyond the safe integers a double may be rounded onto a bound: their upper halves are compared instead.
    if (high < -(2 ** 21) || high >= 2 ** 21 || near < least || near > greatest) return row
  }
  return undefined
}

const BOUNDS = Object.fromEntries(
  Object.entries(RANGES).map(([name, [least, greatest]]) => [
    name,
    [Number(least), Number(greatest)],
  ]),
) as Record<Range, [number, number]>

/** The row of these columns. */
export function rowOf(columns: SwapColumns, row: number, signature: Uint8Array): SealedSwap {
  const { integers, nullable, nulls, doubles } = columns
  const orNull = (name: NullableName) => (nulls[name][row] === 1 ? null : nullable[name].get(row))
  const price = (name: DoubleName) =>
    nulls[name][row] === 1 ? null : (doubles[name][row] as number)
  return {
    slot: integers.slot.near(row),
    block_tx_index: integers.block_tx_index.near(row),
    timestamp_ms: integers.timestamp_ms.near(row),
    sol_amount: integers.sol_amount.get(row),
    token_amount: integers.token_amount.get(row),
    fee: integers.fee.get(row),
    creator_fee: integers.creator_fee.get(row),
    virtual_sol_reserves: integers.virtual_sol_reserves.get(row),
    virtual_token_reserves: integers.virtual_token_reserves.get(row),
    real_sol_reserves: integers.real_sol_reserves.get(row),
    real_token_reserves: integers.real_token_reserves.get(row),
    transfer_fee_in: integers.transfer_fee_in.get(row),
    transfer_fee_out: integers.transfer_fee_out.get(row),
    cashback: integers.cashback.get(row),
    price_impact_bps: orNull('price_impact_bps'),
    pool_price: doubles.pool_price[row] as number,
    price_before: price('price_before'),
    price_after: price('price_after'),
    pool_id: integers.pool_id.low[row] as number,
    wallet_id: integers.wallet_id.low[row] as number,
    ix_index: integers.ix_index.low[row] as number,
    fee_bps: integers.fee_bps.low[row] as number,
    creator_fee_bps: integers.creator_fee_bps.low[row] as number,
    cashback_bps: integers.cashback_bps.low[row] as number,
    time_source: integers.time_source.low[row] as number,
    agent_trade: integers.agent_trade.low[row] as number,
    dex: integers.dex.low[row] as number,
    quote_decimals: integers.quote_decimals.low[row] as number,
    is_buy: columns.isBuy.low[row] === 1,
    signature,
    wallet_tags: nulls.wallet_tags[row] === 1 ? null : (nullable.wallet_tags.low[row] as number),
    virtual_quote_reserves: orNull('virtual_quote_reserves'),
    blockhash: integers.blockhash.low[row] as number,
  }
}
