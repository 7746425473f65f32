/**
 * The content hash of a segment: a sum of hashes of its rows, so their order does not matter. Pure.
 *
 * Rows are hashed by their texts and addresses, so two installations agree whatever ids they gave. `wallet_tags` is left out:
 * it depends on when a swap arrived. The hash finds errors, not forgeries. It is stored: never to be changed.
 */
import type { Int64 } from '../../domain/amount.ts'
import { hashSignature } from '../../domain/numbers/signature-hash.ts'
import type { SealedSwap } from '../codec/row.ts'

/** Halves of the hash of a text. */
export type TextHash = readonly [high: number, low: number]

type HashedTexts = {
  readonly pairAddress: TextHash
  readonly walletAddress: TextHash
  /** Undefined where the row has no block hash. */
  readonly blockhash: TextHash | undefined
}

const SAFE_COLUMNS = ['slot', 'block_tx_index', 'timestamp_ms'] as const
const INT8_COLUMNS = [
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
const NULL_MARK = 0x4e55_4c4c
const TWO_TO_32 = 2 ** 32

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

  add(row: SealedSwap, texts: HashedTexts): void {
    this.high = 0x9e37_79b9
    this.low = 0x85eb_ca6b
    for (const name of SAFE_COLUMNS) this.int64(row[name])
    for (const name of INT8_COLUMNS) this.int64(row[name])
    for (const name of NULLABLE_COLUMNS) {
      const value = row[name]
      if (value === null) this.word(NULL_MARK)
      else this.int64(value)
    }
    for (const name of INT4_COLUMNS) this.word(row[name])
    for (const name of DOUBLE_COLUMNS) this.double(row[name])
    this.word(row.is_buy ? 1 : 0)
    this.bytes(row.signature)
    this.text(texts.pairAddress)
    this.text(texts.walletAddress)
    if (texts.blockhash === undefined) this.word(NULL_MARK)
    else this.text(texts.blockhash)
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

  private int64(value: Int64): void {
    if (typeof value === 'number') {
      this.word(Math.floor(value / TWO_TO_32))
      this.word(value | 0)
      return
    }
    this.word(Number(value >> 32n))
    this.word(Number(BigInt.asIntN(32, value)))
  }

  private double(value: number | null): void {
    if (value === null) {
      this.word(NULL_MARK)
      return
    }
    double[0] = value
    this.word(halvesOfDouble[0]!)
    this.word(halvesOfDouble[1]!)
  }

  private text([high, low]: TextHash): void {
    this.word(high)
    this.word(low)
  }

  private bytes(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += 4) {
      const [first, second, third, fourth] = [
        bytes[at]!,
        bytes[at + 1]!,
        bytes[at + 2]!,
        bytes[at + 3]!,
      ]
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
