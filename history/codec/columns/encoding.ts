/**
 * The columns of a block in their order, the same list for both directions; those that format 2 added come last. Pure.
 *
 * A column that follows from its pool's row before is written in two parts: rows that begin their pool in the block, whose
 * values are far apart, and the others, whose differences are small.
 */

import type { ByteReader } from '../bytes.ts'
import type { Format } from '../envelope.ts'
import {
  ADDED,
  INTEGERS,
  type IntegerName,
  NULLABLE,
  type NullableName,
  type Range,
} from '../row.ts'
import { BLOCK_ROWS_MAX, BlockColumns } from './block-columns.ts'
import { PriceColumns } from './doubles.ts'
import { Int64Column } from './int64-column.ts'
import { decodeIntegers, type IntegerEncoder, type Predict } from './integers.ts'
import {
  feePrediction,
  likePrevious,
  reservePrediction,
  timePrediction,
  virtualPrediction,
} from './predictions.ts'
import { beyond } from './swap-columns.ts'

/** A column or a part of one. `done` links rows, which later parts depend on. */
type Part = {
  name: string
  range: Range
  column: Int64Column
  rows: () => Int32Array
  predict?: Predict
  done?: () => void
}

function partsOf(columns: BlockColumns): Part[] {
  const { integers, rows } = columns
  const all = (name: IntegerName, more: Partial<Part> = {}): Part => ({
    ...{ name, range: INTEGERS[name], column: integers[name], rows: () => rows.all },
    ...more,
  })
  const firsts = (name: IntegerName, predict?: Predict): Part =>
    all(name, { rows: () => rows.firsts, ...(predict && { predict }) })
  const followers = (name: IntegerName, predict: Predict): Part =>
    all(name, { rows: () => rows.followers, predict })
  const reserves = (name: ReserveName, side: 'sol' | 'token', predict?: Predict): Part[] => [
    firsts(name, predict),
    followers(name, reservePrediction(columns, integers[name], side)),
  ]
  const virtual = (name: ReserveName, real: ReserveName): Predict =>
    virtualPrediction(columns, integers[name], integers[real])
  return [
    all('pool_id', { done: () => columns.linkPools() }),
    firsts('slot'),
    followers('slot', likePrevious(columns, integers.slot)),
    all('block_tx_index'),
    all('ix_index'),
    all('dex', { done: () => columns.linkVenues() }),
    all('quote_decimals'),
    { name: 'is_buy', range: 'bit', column: columns.isBuy, rows: () => rows.all },
    all('timestamp_ms', { predict: timePrediction(columns) }),
    all('wallet_id'),
    all('sol_amount'),
    all('token_amount'),
    all('fee_bps'),
    all('creator_fee_bps'),
    all('cashback_bps'),
    all('fee', { predict: feePrediction(columns, integers.fee_bps) }),
    all('creator_fee', { predict: feePrediction(columns, integers.creator_fee_bps) }),
    all('cashback', { predict: feePrediction(columns, integers.cashback_bps) }),
    all('transfer_fee_in'),
    all('transfer_fee_out'),
    ...reserves('real_sol_reserves', 'sol'),
    ...reserves('real_token_reserves', 'token'),
    ...reserves(
      'virtual_sol_reserves',
      'sol',
      virtual('virtual_sol_reserves', 'real_sol_reserves'),
    ),
    ...reserves(
      'virtual_token_reserves',
      'token',
      virtual('virtual_token_reserves', 'real_token_reserves'),
    ),
    all('time_source'),
    all('agent_trade'),
    all('blockhash'),
    { name: 'signature', range: 'int4', column: columns.signatureBack, rows: () => rows.all },
  ]
}

type ReserveName = Extract<IntegerName, `${string}_reserves`>

/** Nullable columns of format 1. */
const NULLABLE_NAMES = (Object.keys(NULLABLE) as NullableName[]).filter(
  (name) => !ADDED.some((added) => added === name),
)

/** Writes the columns of blocks to bytes, and reads them. One block at a time: its arrays serve the next one. */
export class ColumnCodec {
  readonly columns = new BlockColumns()
  private readonly parts = partsOf(this.columns)
  private readonly prices = new PriceColumns(this.columns, BLOCK_ROWS_MAX)
  private readonly present = new Int64Column(BLOCK_ROWS_MAX)
  private readonly presentRows = new Int32Array(BLOCK_ROWS_MAX)

  /** The least format that has the values of the columns. */
  format(): Format {
    const { count, nulls } = this.columns
    for (const name of ADDED) {
      for (let row = 0; row < count; row++) if (nulls[name][row] === 0) return 2
    }
    return 1
  }

  /** The columns, whose links are set. */
  encode(encoder: IntegerEncoder, format: Format): void {
    for (const { column, rows, predict } of this.parts) encoder.encode(column, rows(), predict)
    for (const name of NULLABLE_NAMES) this.encodeNullable(encoder, name)
    this.prices.encode(encoder)
    if (format === 2) for (const name of ADDED) this.encodeNullable(encoder, name)
  }

  private encodeNullable(encoder: IntegerEncoder, name: NullableName): void {
    const { columns, present } = this
    for (let row = 0; row < columns.count; row++) present.low[row] = 1 - columns.nulls[name][row]!
    encoder.encode(present, columns.rows.all)
    encoder.encode(columns.nullable[name], this.rowsPresent())
  }

  /** Sets the values of as many rows as the columns have. Throws DamagedHistory, also for a value that no row can have. */
  decode(reader: ByteReader, format: Format): void {
    const { columns } = this
    for (const { name, range, column, rows, predict, done } of this.parts) {
      decodeIntegers(reader, column, rows(), predict)
      requireRange(reader, column, rows(), range, name)
      done?.()
    }
    for (const name of NULLABLE_NAMES) this.decodeNullable(reader, name)
    this.prices.decode(reader)
    for (const name of ADDED) {
      if (format === 2) this.decodeNullable(reader, name)
      else columns.nulls[name].fill(1, 0, columns.count)
    }
  }

  private decodeNullable(reader: ByteReader, name: NullableName): void {
    const { columns, present } = this
    decodeIntegers(reader, present, columns.rows.all)
    requireRange(reader, present, columns.rows.all, 'bit', name)
    for (let row = 0; row < columns.count; row++) columns.nulls[name][row] = 1 - present.low[row]!
    const rows = this.rowsPresent()
    decodeIntegers(reader, columns.nullable[name], rows)
    requireRange(reader, columns.nullable[name], rows, NULLABLE[name], name)
  }

  private rowsPresent(): Int32Array {
    let count = 0
    for (let row = 0; row < this.columns.count; row++) {
      if (this.present.low[row] === 1) this.presentRows[count++] = row
    }
    return this.presentRows.subarray(0, count)
  }
}

function requireRange(
  reader: ByteReader,
  column: Int64Column,
  rows: Int32Array,
  range: Range,
  name: string,
): void {
  const row = beyond(column, rows, range)
  if (row !== undefined) reader.fail(`${name} ${column.get(row)} of row ${row} is no ${range}`)
}
