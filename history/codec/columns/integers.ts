/**
 * One integer column of a block, for chosen rows, in the cheapest of five modes. Pure.
 *
 *   mode and width (1) | base, where the mode has one: its width (1) and bytes | bits, or a plane for each byte of the values
 *
 *   constant    every value is the base
 *   bits        base + 0 or 1, a bit a row
 *   offset      base, the least value, + an unsigned difference
 *   delta       base, the first value, then zigzag differences to the row before
 *   predicted   zigzag differences to the prediction
 *
 * A plane holds one byte of every value, so that zstd finds the bytes that hardly change next to each other.
 */
import type { ByteReader, ByteWriter } from '../bytes.ts'
import { Int64Cell, Int64Column } from './int64-column.ts'

const MODES = { constant: 0, bits: 1, offset: 2, delta: 3, predicted: 4 } as const
const WIDTH_MAX = 8

/**
 * The value expected in a row, from columns before and rows before. Reader and writer call it with the same
 * knowledge, in ascending order of rows.
 */
export type Predict = (row: number, into: Int64Cell) => void

/** Differences of one candidate, and their sum of bytes, by which candidates compete. */
class Candidate {
  readonly differences: Int64Column
  cost = 0
  width = 0

  constructor(count: number) {
    this.differences = new Int64Column(count)
  }

  clear(): void {
    this.cost = 0
    this.width = 0
  }

  add(index: number, high: number, low: number): void {
    const width = widthOf(high, low)
    this.differences.high[index] = high
    this.differences.low[index] = low
    this.cost += width
    if (width > this.width) this.width = width
  }

  /** Adds value - base, as one whose magnitude is small in both directions. */
  addSigned(index: number, high: number, low: number, baseHigh: number, baseLow: number): void {
    const borrow = low >>> 0 < baseLow >>> 0 ? 1 : 0
    const [near, far] = [(low - baseLow) | 0, (high - baseHigh - borrow) | 0]
    const sign = far >> 31
    this.add(index, ((far << 1) | (near >>> 31)) ^ sign, (near << 1) ^ sign)
  }
}

/** Encodes columns one after the other; its candidates serve every column of up to `capacity` rows. */
export class IntegerEncoder {
  private readonly writer: ByteWriter
  private readonly offset: Candidate
  private readonly delta: Candidate
  private readonly predicted: Candidate
  private readonly cell = new Int64Cell()

  constructor(writer: ByteWriter, capacity: number) {
    this.writer = writer
    this.offset = new Candidate(capacity)
    this.delta = new Candidate(capacity)
    this.predicted = new Candidate(capacity)
  }

  /** `rows` ascending. Nothing is written for no rows. */
  encode(column: Int64Column, rows: Int32Array, predict?: Predict): void {
    const first = rows[0]
    if (first === undefined) return
    if (isConstant(column, rows)) {
      this.head(MODES.constant, 0, column, first)
      return
    }
    const least = leastRow(column, rows)
    this.measure(column, rows, least, predict)
    const { offset, delta, predicted } = this
    const others = Math.min(delta.cost, predict === undefined ? delta.cost : predicted.cost)
    if (this.isBits(rows.length) && rows.length < 8 * others) {
      this.head(MODES.bits, 0, column, least)
      this.bits(rows.length)
    } else if (predict && predicted.cost <= Math.min(offset.cost, delta.cost)) {
      this.writer.uint8((MODES.predicted << 4) | predicted.width)
      this.planes(predicted, rows.length)
    } else if (delta.cost < offset.cost) {
      this.head(MODES.delta, delta.width, column, first)
      this.planes(delta, rows.length)
    } else {
      this.head(MODES.offset, offset.width, column, least)
      this.planes(offset, rows.length)
    }
  }

  private measure(column: Int64Column, rows: Int32Array, least: number, predict?: Predict): void {
    const { cell, offset, delta, predicted } = this
    const [highs, lows] = [column.high, column.low]
    const [leastHigh, leastLow] = [highs[least] as number, lows[least] as number]
    offset.clear()
    delta.clear()
    predicted.clear()
    let [highBefore, lowBefore] = [
      highs[rows[0] as number] as number,
      lows[rows[0] as number] as number,
    ]
    for (let index = 0; index < rows.length; index++) {
      const row = rows[index] as number
      const [high, low] = [highs[row] as number, lows[row] as number]
      const borrow = low >>> 0 < leastLow >>> 0 ? 1 : 0
      offset.add(index, (high - leastHigh - borrow) | 0, (low - leastLow) | 0)
      delta.addSigned(index, high, low, highBefore, lowBefore)
      highBefore = high
      lowBefore = low
      if (predict === undefined) continue
      predict(row, cell)
      predicted.addSigned(index, high, low, cell.high, cell.low)
    }
  }

  private isBits(count: number): boolean {
    const { width, differences } = this.offset
    if (width !== 1) return false
    for (let index = 0; index < count; index++)
      if ((differences.low[index] as number) > 1) return false
    return true
  }

  private head(mode: number, width: number, column: Int64Column, base: number): void {
    const { cell, writer } = this
    writer.uint8((mode << 4) | width)
    cell.load(column, base)
    cell.zigzag()
    const bytes = widthOf(cell.high, cell.low)
    writer.uint8(bytes)
    for (let byte = 0; byte < bytes; byte++) writer.uint8(byteOf(cell.high, cell.low, byte))
  }

  private bits(count: number): void {
    const { bytes, at } = this.writer.room((count + 7) >> 3)
    bytes.fill(0, at, at + ((count + 7) >> 3))
    for (let index = 0; index < count; index++) {
      const bit = this.offset.differences.low[index] as number
      bytes[at + (index >> 3)]! |= bit << (index & 7)
    }
  }

  private planes({ differences, width }: Candidate, count: number): void {
    const { bytes, at } = this.writer.room(width * count)
    for (let plane = 0; plane < width; plane++) {
      const half = plane < 4 ? differences.low : differences.high
      const shift = 8 * (plane & 3)
      for (let index = 0; index < count; index++) {
        bytes[at + plane * count + index] = (half[index] as number) >>> shift
      }
    }
  }
}

const byteOf = (high: number, low: number, byte: number): number =>
  ((byte < 4 ? low : high) >>> (8 * (byte & 3))) & 255

function isConstant({ high, low }: Int64Column, rows: Int32Array): boolean {
  const first = rows[0] as number
  const [firstHigh, firstLow] = [high[first], low[first]]
  for (let index = 1; index < rows.length; index++) {
    const row = rows[index] as number
    if (low[row] !== firstLow || high[row] !== firstHigh) return false
  }
  return true
}

/** Bytes of an unsigned integer without leading zeros, 0 to 8. */
const widthOf = (high: number, low: number): number =>
  high === 0 ? widthOfHalf(low) : 4 + widthOfHalf(high)
const widthOfHalf = (half: number): number => (39 - Math.clz32(half)) >> 3

function leastRow({ high, low }: Int64Column, rows: Int32Array): number {
  let least = rows[0] as number
  for (let index = 1; index < rows.length; index++) {
    const row = rows[index] as number
    const difference = (high[row] as number) - (high[least] as number)
    if (difference > 0) continue
    if (difference < 0 || (low[row] as number) >>> 0 < (low[least] as number) >>> 0) least = row
  }
  return least
}

/** Reads what IntegerEncoder wrote for these rows and this prediction. Throws DamagedHistory. */
export function decodeIntegers(
  reader: ByteReader,
  into: Int64Column,
  rows: Int32Array,
  predict?: Predict,
): void {
  if (rows.length === 0) return
  const head = reader.uint8()
  const [mode, width] = [head >> 4, head & 15]
  if (width > WIDTH_MAX) reader.fail(`a column has values of ${width} bytes`)
  if (mode === MODES.predicted) {
    if (predict === undefined) reader.fail('a column without prediction is predicted')
    readPlanes(reader, into, rows, width)
    addPredictions(into, rows, predict)
    return
  }
  const base = readBase(reader)
  if (mode === MODES.constant) {
    for (let index = 0; index < rows.length; index++) storeSum(into, rows[index]!, base, 0, 0)
  } else if (mode === MODES.bits) {
    const { bytes, at } = reader.take((rows.length + 7) >> 3)
    for (let index = 0; index < rows.length; index++) {
      const bit = ((bytes[at + (index >> 3)] as number) >> (index & 7)) & 1
      storeSum(into, rows[index]!, base, 0, bit)
    }
  } else if (mode === MODES.offset) {
    readPlanes(reader, into, rows, width)
    for (let index = 0; index < rows.length; index++) {
      const row = rows[index] as number
      storeSum(into, row, base, into.high[row]!, into.low[row]!)
    }
  } else if (mode === MODES.delta) {
    readPlanes(reader, into, rows, width)
    addDeltas(into, rows, base)
  } else reader.fail(`a column has the unknown mode ${mode}`)
}

function readBase(reader: ByteReader): Int64Cell {
  const count = reader.uint8()
  if (count > WIDTH_MAX) reader.fail(`a column has a base of ${count} bytes`)
  const cell = new Int64Cell()
  const { bytes, at } = reader.take(count)
  for (let byte = 0; byte < count; byte++) {
    const bits = (bytes[at + byte] as number) << (8 * (byte & 3))
    if (byte < 4) cell.low |= bits
    else cell.high |= bits
  }
  cell.unzigzag()
  return cell
}

function readPlanes(reader: ByteReader, into: Int64Column, rows: Int32Array, width: number): void {
  const count = rows.length
  const { bytes, at } = reader.take(width * count)
  for (let index = 0; index < count; index++) {
    let high = 0
    let low = 0
    for (let plane = 0, from = at + index; plane < width; plane++, from += count) {
      const byte = bytes[from] as number
      if (plane < 4) low |= byte << (8 * plane)
      else high |= byte << (8 * plane - 32)
    }
    const row = rows[index] as number
    into.high[row] = high
    into.low[row] = low
  }
}

function storeSum(
  into: Int64Column,
  row: number,
  base: Int64Cell,
  high: number,
  low: number,
): void {
  const sum = (base.low >>> 0) + (low >>> 0)
  into.low[row] = sum
  into.high[row] = base.high + high + (sum >= 2 ** 32 ? 1 : 0)
}

/** Differences of rows become values, each from the row before. */
function addDeltas(into: Int64Column, rows: Int32Array, base: Int64Cell): void {
  const cell = new Int64Cell()
  for (let index = 0; index < rows.length; index++) {
    const row = rows[index] as number
    cell.load(into, row)
    cell.unzigzag()
    base.add(cell.high, cell.low)
    into.high[row] = base.high
    into.low[row] = base.low
  }
}

function addPredictions(into: Int64Column, rows: Int32Array, predict: Predict): void {
  const [expected, cell] = [new Int64Cell(), new Int64Cell()]
  for (let index = 0; index < rows.length; index++) {
    const row = rows[index] as number
    predict(row, expected)
    cell.load(into, row)
    cell.unzigzag()
    storeSum(into, row, expected, cell.high, cell.low)
  }
}
