/**
 * The hash that PostgreSQL's `hash_record_extended(swap, 0)` has of a row of table `swap`, computed from the columns of a block, so that
 * sealed rows need not be sent to the database to be summed up with those of the table. Pure.
 *
 * Its functions of integers, doubles and texts (Jenkins' lookup3) have never changed: hash partitions depend on them. A test compares
 * both, column by column.
 */
import type { BlockColumns } from '../../codec/columns/block-columns.ts'
import type { Int64Column } from '../../codec/columns/int64-column.ts'
import { ADDED } from '../../codec/row.ts'

/** The columns of table `swap` in their order. */
const LEADING = [
  'slot',
  'block_tx_index',
  'timestamp_ms',
  'sol_amount',
  'token_amount',
  'fee',
  'creator_fee',
  'virtual_sol_reserves',
  'virtual_token_reserves',
  'real_sol_reserves',
  'real_token_reserves',
  'transfer_fee_in',
  'transfer_fee_out',
  'cashback',
] as const
const MIDDLE = [
  'pool_id',
  'wallet_id',
  'ix_index',
  'fee_bps',
  'creator_fee_bps',
  'cashback_bps',
  'time_source',
  'agent_trade',
  'dex',
  'quote_decimals',
] as const
const BEGIN = 0x9e37_79b9 + 3_923_095
const TWO_TO_32 = 2 ** 32
/** Sums of lower halves up to here are exact doubles. */
const ROWS_MAX = 2 ** 20

const double = new Float64Array(1)
const halves = new Uint32Array(double.buffer)

/** Sums the hashes of rows, each as a signed 64-bit integer. */
export class RecordHashes {
  count = 0
  private sum = 0n
  private highs = 0
  private lows = 0
  private pending = 0
  /** Halves of the hash of a row. */
  private high = 0
  private low = 0
  /** State of the hash of a value. */
  private a = 0
  private b = 0
  private c = 0

  /** `signature`, `blockhash`: the texts; null for none. */
  add(columns: BlockColumns, row: number, signature: string, blockhash: string | null): void {
    const { integers, nullable, nulls, doubles, isBuy } = columns
    this.high = 0
    this.low = 0
    for (const name of LEADING) this.int8(integers[name], row)
    this.optional(nulls.price_impact_bps[row] === 1, () =>
      this.int8(nullable.price_impact_bps, row),
    )
    this.float8(doubles.pool_price[row] as number)
    for (const name of ['price_before', 'price_after'] as const) {
      this.optional(nulls[name][row] === 1, () => this.float8(doubles[name][row] as number))
    }
    for (const name of MIDDLE) this.int4(integers[name].low[row] as number)
    this.int4(isBuy.low[row] as number)
    this.text(signature)
    this.optional(nulls.wallet_tags[row] === 1, () =>
      this.int4(nullable.wallet_tags.low[row] as number),
    )
    this.optional(nulls.virtual_quote_reserves[row] === 1, () =>
      this.int8(nullable.virtual_quote_reserves, row),
    )
    this.optional(blockhash === null, () => this.text(blockhash as string))
    for (const name of ADDED) {
      this.optional(nulls[name][row] === 1, () => this.int4(nullable[name].low[row] as number))
    }
    this.addRow()
  }

  total(): bigint {
    this.flush()
    return this.sum
  }

  private addRow(): void {
    this.highs += this.high
    this.lows += this.low >>> 0
    this.count += 1
    this.pending += 1
    if (this.pending === ROWS_MAX) this.flush()
  }

  private flush(): void {
    this.sum += (BigInt(this.highs) << 32n) + BigInt(this.lows)
    this.highs = 0
    this.lows = 0
    this.pending = 0
  }

  private optional(isNull: boolean, value: () => void): void {
    if (isNull) this.combine(0, 0)
    else value()
  }

  /** 31 times the row's hash, and the value's. */
  private combine(high: number, low: number): void {
    const sum = (this.low >>> 0) * 31 + (low >>> 0)
    this.low = sum | 0
    this.high = (Math.imul(this.high, 31) + high + Math.floor(sum / TWO_TO_32)) | 0
  }

  private int8({ high, low }: Int64Column, row: number): void {
    const upper = high[row] as number
    this.int4((low[row] as number) ^ (upper >= 0 ? upper : ~upper))
  }

  private int4(value: number): void {
    const begin = (BEGIN + 4) | 0
    this.a = (begin + value) | 0
    this.b = begin
    this.c = begin
    this.final()
    this.combine(this.b, this.c)
  }

  private float8(value: number): void {
    if (value === 0) {
      this.combine(0, 0)
      return
    }
    double[0] = value
    const begin = (BEGIN + 8) | 0
    this.a = (begin + halves[0]!) | 0
    this.b = (begin + halves[1]!) | 0
    this.c = begin
    this.final()
    this.combine(this.b, this.c)
  }

  /** Takes ASCII only. */
  private text(text: string): void {
    const { length } = text
    const begin = (BEGIN + length) | 0
    this.a = begin
    this.b = begin
    this.c = begin
    let at = 0
    for (; length - at >= 12; at += 12) {
      this.a = (this.a + word(text, at)) | 0
      this.b = (this.b + word(text, at + 4)) | 0
      this.c = (this.c + word(text, at + 8)) | 0
      this.mix()
    }
    for (let index = at; index < length; index++) {
      const [code, byte] = [text.charCodeAt(index), index - at]
      // The lowest byte of `c` is that of the length.
      if (byte < 4) this.a = (this.a + (code << (8 * byte))) | 0
      else if (byte < 8) this.b = (this.b + (code << (8 * (byte - 4)))) | 0
      else this.c = (this.c + (code << (8 * (byte - 7)))) | 0
    }
    this.final()
    this.combine(this.b, this.c)
  }

  private mix(): void {
    let { a, b, c } = this
    a = ((a - c) | 0) ^ rotated(c, 4)
    c = (c + b) | 0
    b = ((b - a) | 0) ^ rotated(a, 6)
    a = (a + c) | 0
    c = ((c - b) | 0) ^ rotated(b, 8)
    b = (b + a) | 0
    a = ((a - c) | 0) ^ rotated(c, 16)
    c = (c + b) | 0
    b = ((b - a) | 0) ^ rotated(a, 19)
    a = (a + c) | 0
    c = ((c - b) | 0) ^ rotated(b, 4)
    b = (b + a) | 0
    this.a = a
    this.b = b
    this.c = c
  }

  private final(): void {
    let { a, b, c } = this
    c = ((c ^ b) - rotated(b, 14)) | 0
    a = ((a ^ c) - rotated(c, 11)) | 0
    b = ((b ^ a) - rotated(a, 25)) | 0
    c = ((c ^ b) - rotated(b, 16)) | 0
    a = ((a ^ c) - rotated(c, 4)) | 0
    b = ((b ^ a) - rotated(a, 14)) | 0
    c = ((c ^ b) - rotated(b, 24)) | 0
    this.a = a
    this.b = b
    this.c = c
  }
}

const rotated = (word: number, bits: number): number => (word << bits) | (word >>> (32 - bits))

const word = (text: string, at: number): number =>
  text.charCodeAt(at) |
  (text.charCodeAt(at + 1) << 8) |
  (text.charCodeAt(at + 2) << 16) |
  (text.charCodeAt(at + 3) << 24)
