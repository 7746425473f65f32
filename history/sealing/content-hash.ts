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

type HashedTexts = {
  readonly pairAddress: TextHash
  readonly walletAddress: TextHash
  /** Undefined where the row has no block hash. */
  readonly blockhash: TextHash | undefined
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

const double = new Float64Array(1)
const halvesOfDouble = new Uint32Array(double.buffer)
const textHalves = new Int32Array(2)

export function hashText(text: string): TextHash {
  hashSignature(text, textHalves, 0)
  return [textHalves[0]!, textHalves[1]!]
}

export class ContentHash {
  private high = 0
  private low = 0
  private sumHigh = 0
  private sumLow = 0

  add(table: SwapColumns, row: number, texts: HashedTexts): void {
    const { integers, nullable, nulls, doubles, isBuy } = table
    this.high = 0x9e37_79b9
    this.low = 0x85eb_ca6b
    for (const name of INT8_COLUMNS) this.int64(integers[name], row)
    for (const name of NULLABLE_COLUMNS) {
      if (nulls[name][row] === 1) this.word(NULL_MARK)
      else this.int64(nullable[name], row)
    }
    for (const name of INT4_COLUMNS) this.word(integers[name].low[row] as number)
    for (const name of DOUBLE_COLUMNS) {
      if (nulls[name][row] === 1) this.word(NULL_MARK)
      else this.double(doubles[name][row] as number)
    }
    this.word(isBuy.low[row] as number)
    this.signature(table.signatures, SIGNATURE_BYTES * row)
    this.text(texts.pairAddress)
    this.text(texts.walletAddress)
    if (texts.blockhash === undefined) this.word(NULL_MARK)
    else this.text(texts.blockhash)
    for (const [name, mark] of ADDED_COLUMNS) {
      if (nulls[name][row] === 1) continue
      this.word(mark)
      this.word(nullable[name].low[row] as number)
    }
    this.addRow()
  }

  /** 16 hexadecimal digits. */
  finish(): string {
    const hex = (half: number) => (half >>> 0).toString(16).padStart(8, '0')
    return hex(this.sumHigh) + hex(this.sumLow)
  }

  private word(word: number): void {
    this.high = Math.imul(this.high ^ word, 0x0100_0193) ^ (this.low >>> 15)
    this.low = Math.imul(this.low ^ word, 0x5bd1_e995) ^ (this.high >>> 13)
  }

  private int64({ high, low }: Int64Column, row: number): void {
    this.word(high[row] as number)
    this.word(low[row] as number)
  }

  private double(value: number): void {
    double[0] = value
    this.word(halvesOfDouble[0]!)
    this.word(halvesOfDouble[1]!)
  }

  private text([high, low]: TextHash): void {
    this.word(high)
    this.word(low)
  }

  private signature(bytes: Uint8Array, from: number): void {
    for (let at = from; at < from + SIGNATURE_BYTES; at += 4) {
      const [first, second] = [bytes[at] as number, bytes[at + 1] as number]
      const [third, fourth] = [bytes[at + 2] as number, bytes[at + 3] as number]
      this.word(first | (second << 8) | (third << 16) | (fourth << 24))
    }
  }

  /** Mixes all bits of the row's halves, then adds them: a sum of weak hashes would cancel out. */
  private addRow(): void {
    const high = mixed(this.high ^ (this.low >>> 7))
    this.sumHigh = (this.sumHigh + high) | 0
    this.sumLow = (this.sumLow + mixed(this.low ^ high)) | 0
  }
}

function mixed(word: number): number {
  const once = Math.imul(word ^ (word >>> 16), 0x7feb_352d)
  const twice = Math.imul(once ^ (once >>> 15), 0x846c_a68b)
  return twice ^ (twice >>> 16)
}
