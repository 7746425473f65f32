/**
 * The columns of a block in the order of format 1, the same list for both directions. Pure.
 *
 * A column that follows from its pool's row before is written in two parts: rows that begin their pool in the block, whose
 * values are far apart, and the others, whose differences are small.
 */
import type { ByteReader, ByteWriter } from '../bytes.ts'
import { INTEGERS, type IntegerName, NULLABLE, type NullableName, type Range } from '../row.ts'
import { decodeDoubles, encodeDoubles } from './doubles.ts'
import { Int64Column } from './int64-column.ts'
import { decodeIntegers, IntegerEncoder, type Predict } from './integers.ts'
import {
  feePrediction,
  likePrevious,
  reservePrediction,
  timePrediction,
  virtualPrediction,
} from './predictions.ts'
import { beyond, type SwapColumns } from './swap-columns.ts'

/** A column or a part of one. `done` links rows, which later parts depend on. */
type Part = {
  name: string
  range: Range
  column: Int64Column
  rows: () => Int32Array
  predict?: Predict
  done?: () => void
}

function partsOf(columns: SwapColumns): Part[] {
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

const NULLABLE_NAMES = Object.keys(NULLABLE) as NullableName[]

export function encodeColumns(writer: ByteWriter, columns: SwapColumns): void {
  const encoder = new IntegerEncoder(writer, columns.count)
  for (const { column, rows, predict } of partsOf(columns)) encoder.encode(column, rows(), predict)
  const present = new Int64Column(columns.count)
  for (const name of NULLABLE_NAMES) {
    for (const row of columns.rows.all) present.low[row] = 1 - columns.nulls[name][row]!
    encoder.encode(present, columns.rows.all)
    encoder.encode(columns.nullable[name], presentRows(columns, name))
  }
  encodeDoubles(encoder, columns)
}

const presentRows = ({ rows, nulls }: SwapColumns, name: NullableName): Int32Array =>
  rows.all.filter((row) => nulls[name][row] === 0)

/** Throws DamagedHistory, also for a value that no row can have. */
export function decodeColumns(reader: ByteReader, columns: SwapColumns): void {
  for (const { name, range, column, rows, predict, done } of partsOf(columns)) {
    decodeIntegers(reader, column, rows(), predict)
    requireRange(reader, column, rows(), range, name)
    done?.()
  }
  const present = new Int64Column(columns.count)
  for (const name of NULLABLE_NAMES) {
    decodeIntegers(reader, present, columns.rows.all)
    requireRange(reader, present, columns.rows.all, 'bit', name)
    for (const row of columns.rows.all) columns.nulls[name][row] = 1 - present.low[row]!
    const rows = presentRows(columns, name)
    decodeIntegers(reader, columns.nullable[name], rows)
    requireRange(reader, columns.nullable[name], rows, NULLABLE[name], name)
  }
  decodeDoubles(reader, columns)
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
