/**
 * The rows of a run of slots that is sealed, by column: those that are read from `swap` by the binary COPY, and those of a segment that is
 * rewritten. Texts are packed as they arrive: a row is never an object.
 */
import { decodeBase58, decodeBase58Into } from '../../domain/numbers/base58.ts'
import { hashSignature, hashSignatureBytes } from '../../domain/numbers/signature-hash.ts'
import { copyOut, type RowReader } from '../../sql/binary/copy-reader.ts'
import type { Connection } from '../../sql/db.ts'
import { SwapColumns } from '../codec/columns/swap-columns.ts'
import { SIGNATURE_BYTES } from '../codec/row.ts'
import type { StoredSwap } from '../sealed/stored-swap.ts'

const HASH_BYTES = 32
const SIGNATURE_TEXT_MAX = 88
const HASH_TEXT_MAX = 44
const FIRST_ROWS = 4_096

const copyOf = (low: number, high: number): string => `copy (
  select slot, block_tx_index, timestamp_ms, sol_amount, token_amount, fee, creator_fee,
    virtual_sol_reserves, virtual_token_reserves, real_sol_reserves, real_token_reserves,
    transfer_fee_in, transfer_fee_out, cashback, price_impact_bps, virtual_quote_reserves,
    pool_id, wallet_id, ix_index, fee_bps, creator_fee_bps, cashback_bps, time_source,
    agent_trade, dex, quote_decimals, wallet_tags, pool_price, price_before, price_after, is_buy,
    signature, blockhash, outside_protocol_bps, outside_creator_bps
  from swap
  where slot between ${low} and ${high}
) to stdout (format binary)`

export class PartRows {
  readonly columns = new SwapColumns(FIRST_ROWS)
  /** Halves of the hash of each signature's text, high before low. */
  halves = new Int32Array(2 * FIRST_ROWS)
  /** The number of each row's block hash in `hashes`; 0 for none. */
  hashNumbers = new Int32Array(FIRST_ROWS)
  /** Block hashes by number, '' for 0. */
  readonly hashes: string[] = ['']
  /** Whether a row is one of `swap`; else it is one of a segment that is rewritten. */
  isInTable = new Uint8Array(FIRST_ROWS)
  /** Whether a row is sealed: false for those that are to stay in `swap`. */
  isSealed = new Uint8Array(FIRST_ROWS)
  private readonly numbers = new Map<string, number>()
  private readonly isHash: boolean[] = [true]

  /** Starts over in the same memory. */
  clear(): void {
    this.columns.count = 0
    this.hashes.length = 1
    this.isHash.length = 1
    this.numbers.clear()
  }

  get count(): number {
    return this.columns.count
  }

  slot(row: number): number {
    return this.columns.integers.slot.near(row)
  }

  poolId(row: number): number {
    return this.columns.integers.pool_id.low[row] as number
  }

  /** Adds the rows of `swap` in slots, both ends included. Those that the codec cannot store are not sealed. */
  async read(connection: Connection, { low, high }: { low: number; high: number }): Promise<void> {
    await copyOut(connection, copyOf(low, high), async (reader) => {
      while (reader.next()) this.readRow(reader)
    })
  }

  /** Adds a row of a segment. */
  add(swap: StoredSwap): void {
    const { signature, blockhash } = swap
    const row = this.begin()
    const bytes = decodeBase58(signature, SIGNATURE_TEXT_MAX)!
    this.columns.set(row, { ...swap, signature: bytes, blockhash: 0 })
    hashSignature(signature, this.halves, 2 * row)
    this.hashNumbers[row] = blockhash === null ? 0 : this.numberOf(blockhash)
    this.isInTable[row] = 0
    this.isSealed[row] = 1
  }

  /** Leaves the rows of pools in slots in the table. */
  exclude(poolIds: readonly number[], slots: readonly number[]): void {
    const slotsOf = new Map<number, Set<number>>()
    poolIds.forEach((poolId, index) => {
      const own = slotsOf.get(poolId) ?? new Set()
      slotsOf.set(poolId, own.add(slots[index]!))
    })
    for (let row = 0; row < this.count; row++) {
      if (slotsOf.get(this.poolId(row))?.has(this.slot(row)) === true) this.isSealed[row] = 0
    }
  }

  /** Retains the rows with these numbers, in their order. */
  arrange(rows: Uint32Array): void {
    this.columns.arrange(rows)
    this.hashNumbers = arranged(this.hashNumbers, new Int32Array(this.hashNumbers.length), rows)
    this.isInTable = arranged(this.isInTable, new Uint8Array(this.isInTable.length), rows)
    this.isSealed = arranged(this.isSealed, new Uint8Array(this.isSealed.length), rows)
    const halves = new Int32Array(this.halves.length)
    for (let row = 0; row < rows.length; row++) {
      const source = 2 * (rows[row] as number)
      halves[2 * row] = this.halves[source] as number
      halves[2 * row + 1] = this.halves[source + 1] as number
    }
    this.halves = halves
  }

  private readRow(reader: RowReader): void {
    const row = this.begin()
    const { integers, nullable, nulls, doubles, isBuy } = this.columns
    // Fields are read in the order of the columns.
    reader.int8Into(integers.slot, row)
    reader.int8Into(integers.block_tx_index, row)
    reader.int8Into(integers.timestamp_ms, row)
    reader.int8Into(integers.sol_amount, row)
    reader.int8Into(integers.token_amount, row)
    reader.int8Into(integers.fee, row)
    reader.int8Into(integers.creator_fee, row)
    reader.int8Into(integers.virtual_sol_reserves, row)
    reader.int8Into(integers.virtual_token_reserves, row)
    reader.int8Into(integers.real_sol_reserves, row)
    reader.int8Into(integers.real_token_reserves, row)
    reader.int8Into(integers.transfer_fee_in, row)
    reader.int8Into(integers.transfer_fee_out, row)
    reader.int8Into(integers.cashback, row)
    for (const name of ['price_impact_bps', 'virtual_quote_reserves'] as const) {
      nulls[name][row] = Number(reader.isNull())
      if (nulls[name][row] === 0) reader.int8Into(nullable[name], row)
    }
    reader.int4Into(integers.pool_id, row)
    reader.int4Into(integers.wallet_id, row)
    reader.int4Into(integers.ix_index, row)
    reader.int4Into(integers.fee_bps, row)
    reader.int4Into(integers.creator_fee_bps, row)
    reader.int4Into(integers.cashback_bps, row)
    reader.int4Into(integers.time_source, row)
    reader.int4Into(integers.agent_trade, row)
    reader.int2Into(integers.dex, row)
    reader.int2Into(integers.quote_decimals, row)
    nulls.wallet_tags[row] = Number(reader.isNull())
    if (nulls.wallet_tags[row] === 0) reader.int2Into(nullable.wallet_tags, row)
    nulls.pool_price[row] = 0
    doubles.pool_price[row] = reader.float8()
    for (const name of ['price_before', 'price_after'] as const) {
      nulls[name][row] = Number(reader.isNull())
      if (nulls[name][row] === 0) doubles[name][row] = reader.float8()
    }
    isBuy.set(row, reader.bool() ? 1 : 0)
    const isSigned = this.readSignature(reader, row)
    const hash = reader.isNull() ? 0 : this.readHash(reader)
    for (const name of ['outside_protocol_bps', 'outside_creator_bps'] as const) {
      nulls[name][row] = Number(reader.isNull())
      if (nulls[name][row] === 0) reader.int2Into(nullable[name], row)
    }
    this.hashNumbers[row] = hash
    this.isInTable[row] = 1
    this.isSealed[row] = isSigned && this.isHash[hash] === true ? 1 : 0
  }

  /** Whether the text is base58 of a signature. */
  private readSignature(reader: RowReader, row: number): boolean {
    const { signatures } = this.columns
    const from = reader.fieldAt()
    const { bytes, fieldLength: length } = reader
    hashSignatureBytes(bytes, from, length, this.halves, 2 * row)
    const at = SIGNATURE_BYTES * row
    return decodeBase58Into(bytes, from, length, signatures, at, SIGNATURE_BYTES)
  }

  /** The number of the text, most often that of the row before. */
  private readHash(reader: RowReader): number {
    const from = reader.fieldAt()
    const { bytes, fieldLength: length } = reader
    const last = this.hashes.length - 1
    if (isText(bytes, from, length, this.hashes[last]!)) return last
    return this.numberOf(bytes.toString('utf8', from, from + length))
  }

  private numberOf(hash: string): number {
    const known = this.numbers.get(hash)
    if (known !== undefined) return known
    const number = this.hashes.push(hash) - 1
    this.numbers.set(hash, number)
    const isHash = decodeBase58(hash, HASH_TEXT_MAX)?.length === HASH_BYTES
    this.isHash.push(isHash)
    return number
  }

  private begin(): number {
    const row = this.columns.add()
    if (row < this.isSealed.length) return row
    const rows = 2 * row
    this.halves = grown(this.halves, new Int32Array(2 * rows))
    this.hashNumbers = grown(this.hashNumbers, new Int32Array(rows))
    this.isInTable = grown(this.isInTable, new Uint8Array(rows))
    this.isSealed = grown(this.isSealed, new Uint8Array(rows))
    return row
  }
}

function grown<Values extends Uint8Array | Int32Array>(values: Values, into: Values): Values {
  into.set(values)
  return into
}

function arranged<Values extends Uint8Array | Int32Array>(
  values: Values,
  into: Values,
  rows: Uint32Array,
): Values {
  for (let row = 0; row < rows.length; row++) into[row] = values[rows[row] as number] as number
  return into
}

function isText(bytes: Uint8Array, from: number, length: number, text: string): boolean {
  if (length !== text.length || length === 0) return false
  for (let index = 0; index < length; index++) {
    if (bytes[from + index] !== text.charCodeAt(index)) return false
  }
  return true
}
