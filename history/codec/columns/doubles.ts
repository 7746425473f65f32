/**
 * The three columns of prices of a block. Pure.
 *
 *   states      a column of 0 as predicted, 1 null, 2 stated
 *   bits        of the stated ones, as a column of integers that is predicted by the bits of the predicted double
 *
 * The states determine whether a price is null, so a prediction may depend on it.
 */
import type { Int64 } from '../../../domain/amount.ts'
import type { ByteReader } from '../bytes.ts'
import { DOUBLES, type DoubleName } from '../row.ts'
import type { BlockColumns } from './block-columns.ts'
import { Int64Column } from './int64-column.ts'
import { decodeIntegers, type IntegerEncoder, type Predict } from './integers.ts'
import {
  type PredictDouble,
  poolPricePrediction,
  priceAfterPrediction,
  priceBeforePrediction,
} from './predictions.ts'

const STATES = { predicted: 0, none: 1, stated: 2 } as const

const number = new Float64Array(1)
/** The same eight bytes, least significant half first: every machine that Node runs on is little-endian. */
const halves = new Int32Array(number.buffer)

const predictionsOf = (columns: BlockColumns): Record<DoubleName, PredictDouble> => ({
  pool_price: poolPricePrediction(columns),
  price_before: priceBeforePrediction(columns),
  price_after: priceAfterPrediction(columns),
})

/** Columns of the prices of a block, which serve all blocks of an encoder or decoder. */
export class PriceColumns {
  private readonly columns: BlockColumns
  private readonly predictions: Record<DoubleName, PredictDouble>
  private readonly states: Int64Column
  private readonly bits: Int64Column
  private readonly expected: Int64Column
  private readonly stated: Int32Array
  private readonly predictBits: Predict

  constructor(columns: BlockColumns, capacity: number) {
    this.columns = columns
    this.predictions = predictionsOf(columns)
    this.states = new Int64Column(capacity)
    this.bits = new Int64Column(capacity)
    this.expected = new Int64Column(capacity)
    this.stated = new Int32Array(capacity)
    this.predictBits = (row, into) => into.load(this.expected, row)
  }

  encode(encoder: IntegerEncoder): void {
    const { columns, states, bits, expected } = this
    const { count, nulls, doubles, rows } = columns
    for (const name of DOUBLES) {
      const predict = this.predictions[name]
      for (let row = 0; row < count; row++) {
        const predicted = predict(row)
        const value = nulls[name][row] === 1 ? null : (doubles[name][row] as number)
        states.low[row] = stateOf(value, predicted)
        if (states.low[row] !== STATES.stated) continue
        setBits(bits, row, value as number)
        setBits(expected, row, predicted ?? 0)
      }
      encoder.encode(states, rows.all)
      encoder.encode(bits, this.statedRows(), this.predictBits)
    }
  }

  /** Throws DamagedHistory. */
  decode(reader: ByteReader): void {
    const { columns, states, bits, expected } = this
    const { doubles, rows } = columns
    for (const name of DOUBLES) {
      const predict = this.predictions[name]
      decodeIntegers(reader, states, rows.all)
      for (let row = 0; row < columns.count; row++) {
        restore(reader, columns, name, row, states.get(row), predict(row))
      }
      const stated = this.statedRows()
      for (let index = 0; index < stated.length; index++) {
        const row = stated[index] as number
        setBits(expected, row, predict(row) ?? 0)
      }
      decodeIntegers(reader, bits, stated, this.predictBits)
      for (let index = 0; index < stated.length; index++) {
        const row = stated[index] as number
        halves[0] = bits.low[row] as number
        halves[1] = bits.high[row] as number
        doubles[name][row] = number[0] as number
      }
    }
  }

  private statedRows(): Int32Array {
    let count = 0
    for (let row = 0; row < this.columns.count; row++) {
      if (this.states.low[row] === STATES.stated) this.stated[count++] = row
    }
    return this.stated.subarray(0, count)
  }
}

function stateOf(value: number | null, predicted: number | null): number {
  if (Object.is(value, predicted)) return STATES.predicted
  return value === null ? STATES.none : STATES.stated
}

function setBits(column: Int64Column, row: number, value: number): void {
  number[0] = value
  column.low[row] = halves[0] as number
  column.high[row] = halves[1] as number
}

/** Sets what the state of a row determines; a stated price follows from its bits. */
function restore(
  reader: ByteReader,
  { nulls, doubles }: BlockColumns,
  name: DoubleName,
  row: number,
  state: Int64,
  predicted: number | null,
): void {
  nulls[name][row] = 0
  if (state === STATES.stated) return
  if (state === STATES.none || (state === STATES.predicted && predicted === null)) {
    nulls[name][row] = 1
  } else if (state === STATES.predicted) doubles[name][row] = predicted as number
  else reader.fail(`${name} of row ${row} has the unknown state ${state}`)
  if (nulls[name][row] === 1 && name === 'pool_price') reader.fail(`row ${row} has no pool_price`)
}
