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
import { type Int64Cell, Int64Column } from './int64-column.ts'
import { decodeIntegers, type IntegerEncoder, type Predict } from './integers.ts'
import {
  type PredictDouble,
  poolPricePrediction,
  priceAfterPrediction,
  priceBeforePrediction,
} from './predictions.ts'
import type { SwapColumns } from './swap-columns.ts'

const STATES = { predicted: 0, none: 1, stated: 2 } as const

const number = new Float64Array(1)
/** The same eight bytes, least significant half first: every machine that Node runs on is little-endian. */
const halves = new Int32Array(number.buffer)

const predictionsOf = (columns: SwapColumns): Record<DoubleName, PredictDouble> => ({
  pool_price: poolPricePrediction(columns),
  price_before: priceBeforePrediction(columns),
  price_after: priceAfterPrediction(columns),
})

export function encodeDoubles(encoder: IntegerEncoder, columns: SwapColumns): void {
  const predictions = predictionsOf(columns)
  const { count, nulls, doubles, rows } = columns
  for (const name of DOUBLES) {
    const [states, bits, expected] = [
      new Int64Column(count),
      new Int64Column(count),
      new Int64Column(count),
    ]
    for (let row = 0; row < count; row++) {
      const predicted = predictions[name](row)
      const value = nulls[name][row] === 1 ? null : (doubles[name][row] as number)
      if (isSame(value, predicted)) continue
      states.low[row] = value === null ? STATES.none : STATES.stated
      if (value === null) continue
      setBits(bits, row, value)
      setBits(expected, row, predicted ?? 0)
    }
    encoder.encode(states, rows.all)
    encoder.encode(bits, statedRows(states, rows.all), loading(expected))
  }
}

const isSame = (a: number | null, b: number | null): boolean => Object.is(a, b)

function setBits(column: Int64Column, row: number, value: number): void {
  number[0] = value
  column.low[row] = halves[0] as number
  column.high[row] = halves[1] as number
}

const loading =
  (column: Int64Column): Predict =>
  (row: number, into: Int64Cell) =>
    into.load(column, row)

const statedRows = (states: Int64Column, all: Int32Array): Int32Array =>
  all.filter((row) => states.low[row] === STATES.stated)

/** Throws DamagedHistory. */
export function decodeDoubles(reader: ByteReader, columns: SwapColumns): void {
  const predictions = predictionsOf(columns)
  const { count, doubles, rows } = columns
  for (const name of DOUBLES) {
    const predict = predictions[name]
    const states = new Int64Column(count)
    decodeIntegers(reader, states, rows.all)
    for (const row of rows.all) restore(reader, columns, name, row, states.get(row), predict(row))
    const stated = statedRows(states, rows.all)
    const bits = new Int64Column(count)
    decodeIntegers(reader, bits, stated, (row, into) => {
      number[0] = predict(row) ?? 0
      into.low = halves[0] as number
      into.high = halves[1] as number
    })
    for (const row of stated) {
      halves[0] = bits.low[row] as number
      halves[1] = bits.high[row] as number
      doubles[name][row] = number[0] as number
    }
  }
}

/** Sets what the state of a row determines; a stated price follows from its bits. */
function restore(
  reader: ByteReader,
  { nulls, doubles }: SwapColumns,
  name: DoubleName,
  row: number,
  state: Int64,
  predicted: number | null,
): void {
  if (state === STATES.stated) return
  if (state === STATES.none || (state === STATES.predicted && predicted === null)) {
    nulls[name][row] = 1
  } else if (state === STATES.predicted) doubles[name][row] = predicted as number
  else reader.fail(`${name} of row ${row} has the unknown state ${state}`)
  if (nulls[name][row] === 1 && name === 'pool_price') reader.fail(`row ${row} has no pool_price`)
}
