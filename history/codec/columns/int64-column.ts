/**
 * A column of 64-bit integers as pairs of 32 bits, in two's complement. Pure.
 *
 * Law: no value passes through a double. Sums and differences wrap at 64 bits, so that value - prediction + prediction is
 * the value for every prediction, however far off it is.
 */
import { INT64_MAX, INT64_MIN, type Int64 } from '../../../domain/amount.ts'

const TWO_TO_32 = 2 ** 32
/** Upper halves of integers of -2^52 to 2^52 - 1, which every double holds. */
const NEAR_HIGH = 2 ** 20

export class Int64Column {
  high: Int32Array
  low: Int32Array

  constructor(length: number) {
    this.high = new Int32Array(length)
    this.low = new Int32Array(length)
  }

  /** Room for `length` values, those before included. */
  grow(length: number): void {
    const { high, low } = this
    this.high = new Int32Array(length)
    this.low = new Int32Array(length)
    this.high.set(high)
    this.low.set(low)
  }

  /** Throws RangeError for what is no int64. */
  set(index: number, value: Int64): void {
    if (typeof value === 'number') {
      if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is not an exact integer`)
      this.high[index] = Math.floor(value / TWO_TO_32)
      this.low[index] = value
      return
    }
    if (value > INT64_MAX || value < INT64_MIN) throw new RangeError(`${value} is not an int64`)
    this.high[index] = Number(value >> 32n)
    this.low[index] = Number(BigInt.asIntN(32, value))
  }

  /** In canonical form: a number where it is a safe integer. */
  get(index: number): Int64 {
    const high = this.high[index] as number
    const low = (this.low[index] as number) >>> 0
    if (high >= -NEAR_HIGH && high < NEAR_HIGH) return high * TWO_TO_32 + low
    const exact = (BigInt(high) << 32n) | BigInt(low)
    const near = Number(exact)
    return Number.isSafeInteger(near) ? near : exact
  }

  /** The nearest double, for predictions only. */
  near(index: number): number {
    return (this.high[index] as number) * TWO_TO_32 + ((this.low[index] as number) >>> 0)
  }
}

/** One 64-bit integer, changed in place: the result of a prediction. */
export class Int64Cell {
  high = 0
  low = 0

  /** Any double: its integer part modulo 2^64; 0 for one that is not finite. */
  near(value: number): void {
    const whole = Number.isFinite(value) ? Math.trunc(value) : 0
    this.high = Math.floor(whole / TWO_TO_32) | 0
    this.low = whole | 0
  }

  load(column: Int64Column, index: number): void {
    this.high = column.high[index] as number
    this.low = column.low[index] as number
  }

  add(high: number, low: number): void {
    const sum = (this.low >>> 0) + (low >>> 0)
    this.low = sum | 0
    this.high = (this.high + high + (sum >= TWO_TO_32 ? 1 : 0)) | 0
  }

  subtract(high: number, low: number): void {
    const borrow = this.low >>> 0 < low >>> 0 ? 1 : 0
    this.low = (this.low - low) | 0
    this.high = (this.high - high - borrow) | 0
  }

  /** Small magnitudes of both signs become small unsigned integers. */
  zigzag(): void {
    const sign = this.high >> 31
    this.high = ((this.high << 1) | (this.low >>> 31)) ^ sign
    this.low = (this.low << 1) ^ sign
  }

  unzigzag(): void {
    const sign = -(this.low & 1)
    this.low = ((this.low >>> 1) | (this.high << 31)) ^ sign
    this.high = (this.high >>> 1) ^ sign
  }
}
