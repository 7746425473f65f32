/** Columns of sealed swaps that the ledger reads: 140 bytes a swap. Pure. */
import { encodeBase58 } from '../../../domain/numbers/base58.ts'
import type { BlockColumns } from '../../codec/columns/block-columns.ts'
import { Int64Column } from '../../codec/columns/int64-column.ts'
import { SIGNATURE_BYTES } from '../../codec/row.ts'
import type { StoredSwap } from '../stored-swap.ts'

const INT8 = [
  'slot',
  'block_tx_index',
  'sol_amount',
  'token_amount',
  'timestamp_ms',
  'transfer_fee_in',
  'transfer_fee_out',
] as const
const INT4 = ['wallet_id', 'pool_id', 'ix_index', 'dex', 'quote_decimals'] as const
const FIRST_ROWS = 4_096

export type WalletRow = Pick<
  StoredSwap,
  (typeof INT8)[number] | (typeof INT4)[number] | 'is_buy' | 'signature'
>

export class WalletRows {
  count = 0
  private capacity = FIRST_ROWS
  private readonly int8 = Object.fromEntries(
    INT8.map((name) => [name, new Int64Column(FIRST_ROWS)]),
  ) as Record<(typeof INT8)[number], Int64Column>
  private readonly int4 = Object.fromEntries(
    INT4.map((name) => [name, new Int32Array(FIRST_ROWS)]),
  ) as Record<(typeof INT4)[number], Int32Array>
  private isBuy = new Uint8Array(FIRST_ROWS)
  private signatures = new Uint8Array(SIGNATURE_BYTES * FIRST_ROWS)

  /** Starts over in the same memory. */
  clear(): void {
    this.count = 0
  }

  add({ integers, isBuy, signatures }: BlockColumns, source: number): void {
    if (this.count === this.capacity) this.grow()
    const row = this.count++
    for (const name of INT8) {
      const [own, from] = [this.int8[name], integers[name]]
      own.high[row] = from.high[source] as number
      own.low[row] = from.low[source] as number
    }
    for (const name of INT4) this.int4[name][row] = integers[name].low[source] as number
    this.isBuy[row] = isBuy.low[source] as number
    const at = SIGNATURE_BYTES * source
    this.signatures.set(signatures.subarray(at, at + SIGNATURE_BYTES), SIGNATURE_BYTES * row)
  }

  walletId(row: number): number {
    return this.int4.wallet_id[row] as number
  }

  /** Row numbers by wallet and slot. */
  order(): Uint32Array {
    const { wallet_id: wallets } = this.int4
    const slots = Float64Array.from({ length: this.count }, (_, row) => this.int8.slot.near(row))
    return Uint32Array.from(slots.keys()).sort(
      (a, b) => wallets[a]! - wallets[b]! || slots[a]! - slots[b]!,
    )
  }

  row(row: number): WalletRow {
    const { int8, int4 } = this
    const at = SIGNATURE_BYTES * row
    return {
      wallet_id: int4.wallet_id[row] as number,
      slot: int8.slot.near(row),
      block_tx_index: int8.block_tx_index.near(row),
      ix_index: int4.ix_index[row] as number,
      dex: int4.dex[row] as number,
      is_buy: this.isBuy[row] === 1,
      signature: encodeBase58(this.signatures.subarray(at, at + SIGNATURE_BYTES)),
      pool_id: int4.pool_id[row] as number,
      sol_amount: int8.sol_amount.get(row),
      token_amount: int8.token_amount.get(row),
      timestamp_ms: int8.timestamp_ms.near(row),
      quote_decimals: int4.quote_decimals[row] as number,
      transfer_fee_in: int8.transfer_fee_in.get(row),
      transfer_fee_out: int8.transfer_fee_out.get(row),
    }
  }

  private grow(): void {
    this.capacity *= 2
    for (const name of INT8) this.int8[name].grow(this.capacity)
    for (const name of INT4) this.int4[name] = wider(this.int4[name], new Int32Array(this.capacity))
    this.isBuy = wider(this.isBuy, new Uint8Array(this.capacity))
    this.signatures = wider(this.signatures, new Uint8Array(SIGNATURE_BYTES * this.capacity))
  }
}

function wider<Values extends Uint8Array | Int32Array>(values: Values, into: Values): Values {
  into.set(values)
  return into
}
