/**
 * The content hash of a segment: a sum of hashes of its rows, so their order does not matter. Pure.
 *
 * Rows are hashed by their texts and addresses, so two installations agree whatever ids they gave. `wallet_tags` is left out:
 * it depends on when a swap arrived. The hash finds errors, not forgeries. It is stored: never to be changed. A column that was added
 * since is hashed where it has a value, so that rows of before keep their hash.
 */
import { hashSignature } from '../../domain/numbers/signature-hash.ts'
import type { Int64Column } from '../codec/columns/int64-column.ts'
import type { SwapColumns } from '../codec/columns/swap-columns.ts'
import { SIGNATURE_BYTES } from '../codec/row.ts'

/** Halves of the hash of a text. */
export type TextHash = readonly [high: number, low: number]

/** Hashes of the texts of a row. */
type RowTexts = {
  readonly pairOf: (row: number) => TextHash
  readonly walletOf: (row: number) => TextHash
  /** Undefined where the row has no block hash. */
  readonly blockhashOf: (row: number) => TextHash | undefined
}

/** Integers of 64 bits in the order in which they are hashed; then those that may be null, then those of 32 bits. */
const INT8_COLUMNS = [
  'slot',
  'block_tx_index',
  'timestamp_ms',
  'sol_amount',
  'token_amount',
  'fee',
  'creator_fee',
  'cashback',
  'transfer_fee_in',
  'transfer_fee_out',
  'virtual_sol_reserves',
  'virtual_token_reserves',
  'real_sol_reserves',
  'real_token_reserves',
] as const
const NULLABLE_COLUMNS = ['price_impact_bps', 'virtual_quote_reserves'] as const
const INT4_COLUMNS = [
  'ix_index',
  'fee_bps',
  'creator_fee_bps',
  'cashback_bps',
  'time_source',
  'agent_trade',
  'dex',
  'quote_decimals',
] as const
const DOUBLE_COLUMNS = ['pool_price', 'price_before', 'price_after'] as const
/** Added columns, each with the mark of its values. */
const ADDED_COLUMNS = [
  ['outside_protocol_bps', 0x5052_4f54],
  ['outside_creator_bps', 0x4352_4541],
] as const
const NULL_MARK = 0x4e55_4c4c
/** Rows whose hashes advance together, a column at a time: their state stays in the nearest cache. */
const ROWS_AT_ONCE = 1_024
const SIGNATURE_WORDS = SIGNATURE_BYTES / 4

const double = new Float64Array(1)
const halvesOfDouble = new Uint32Array(double.buffer)
const textHalves = new Int32Array(2)

export function hashText(text: string): TextHash {
  hashSignature(text, textHalves, 0)
  return [textHalves[0]!, textHalves[1]!]
}

export class ContentHash {
  /** State of the hash of each row. */
  private readonly highs = new Int32Array(ROWS_AT_ONCE)
  private readonly lows = new Int32Array(ROWS_AT_ONCE)
  private sumHigh = 0
  private sumLow = 0

  /** Adds all rows of a table. */
  add(table: SwapColumns, texts: RowTexts): void {
    for (let from = 0; from < table.count; from += ROWS_AT_ONCE) {
      this.addRows(table, texts, from, Math.min(ROWS_AT_ONCE, table.count - from))
    }
  }

  private addRows(table: SwapColumns, texts: RowTexts, from: number, count: number): void {
    const { integers, nullable, nulls, doubles, isBuy } = table
    this.highs.fill(0x9e37_79b9)
    this.lows.fill(0x85eb_ca6b)
    for (const name of INT8_COLUMNS) this.int64s(integers[name], from, count)
    for (const name of NULLABLE_COLUMNS) this.optional(nullable[name], nulls[name], from, count)
    for (const name of INT4_COLUMNS) this.words(integers[name].low, from, count)
    for (const name of DOUBLE_COLUMNS) this.doubles(doubles[name], nulls[name], from, count)
    this.words(isBuy.low, from, count)
    this.signatures(table.signatures, from, count)
    for (let index = 0; index < count; index++) {
      this.text(index, texts.pairOf(from + index))
      this.text(index, texts.walletOf(from + index))
      const blockhash = texts.blockhashOf(from + index)
      if (blockhash === undefined) this.word(index, NULL_MARK)
      else this.text(index, blockhash)
    }
    for (const [name, mark] of ADDED_COLUMNS) {
      this.added(nullable[name], nulls[name], mark, from, count)
    }
    for (let index = 0; index < count; index++) this.addRow(index)
  }

  /** 16 hexadecimal digits. */
  finish(): string {
    const hex = (half: number) => (half >>> 0).toString(16).padStart(8, '0')
    return hex(this.sumHigh) + hex(this.sumLow)
  }

  private word(index: number, word: number): void {
    const low = this.lows[index] as number
    const high = Math.imul((this.highs[index] as number) ^ word, 0x0100_0193) ^ (low >>> 15)
    this.highs[index] = high
    this.lows[index] = Math.imul(low ^ word, 0x5bd1_e995) ^ (high >>> 13)
  }

  private words(values: Int32Array, from: number, count: number): void {
    for (let index = 0; index < count; index++) this.word(index, values[from + index] as number)
  }

  private int64s({ high, low }: Int64Column, from: number, count: number): void {
    this.words(high, from, count)
    this.words(low, from, count)
  }

  private optional(
    { high, low }: Int64Column,
    nulls: Uint8Array,
    from: number,
    count: number,
  ): void {
    for (let index = 0; index < count; index++) {
      const row = from + index
      if (nulls[row] === 1) {
        this.word(index, NULL_MARK)
        continue
      }
      this.word(index, high[row] as number)
      this.word(index, low[row] as number)
    }
  }

  private doubles(values: Float64Array, nulls: Uint8Array, from: number, count: number): void {
    for (let index = 0; index < count; index++) {
      if (nulls[from + index] === 1) {
        this.word(index, NULL_MARK)
        continue
      }
      double[0] = values[from + index] as number
      this.word(index, halvesOfDouble[0]!)
      this.word(index, halvesOfDouble[1]!)
    }
  }

  private added(
    { low }: Int64Column,
    nulls: Uint8Array,
    mark: number,
    from: number,
    count: number,
  ): void {
    for (let index = 0; index < count; index++) {
      if (nulls[from + index] === 1) continue
      this.word(index, mark)
      this.word(index, low[from + index] as number)
    }
  }

  private text(index: number, [high, low]: TextHash): void {
    this.word(index, high)
    this.word(index, low)
  }

  private signatures(bytes: Uint8Array, from: number, count: number): void {
    // Every machine that Node runs on is little-endian.
    const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)
    let at = SIGNATURE_WORDS * from
    for (let index = 0; index < count; index++) {
      for (const end = at + SIGNATURE_WORDS; at < end; at++) this.word(index, words[at] as number)
    }
  }

  /** Mixes all bits of the row's halves, then adds them: a sum of weak hashes would cancel out. */
  private addRow(index: number): void {
    const low = this.lows[index] as number
    const high = mixed((this.highs[index] as number) ^ (low >>> 7))
    this.sumHigh = (this.sumHigh + high) | 0
    this.sumLow = (this.sumLow + mixed(low ^ high)) | 0
  }
}

function mixed(word: number): number {
  const once = Math.imul(word ^ (word >>> 16), 0x7feb_352d)
  const twice = Math.imul(once ^ (once >>> 15), 0x846c_a68b)
  return twice ^ (twice >>> 16)
}
