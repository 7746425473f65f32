/**
 * Reads rows of `swap` for a segment, by the binary COPY: the columns as they are sealed, and the texts that the codec
 * stores in another form.
 */
import { decodeBase58 } from '../../domain/numbers/base58.ts'
import { copyOut, type RowReader } from '../../sql/binary/copy-reader.ts'
import type { Connection } from '../../sql/db.ts'
import { type SealedSwap, SIGNATURE_BYTES } from '../codec/row.ts'
import type { StoredSwap } from '../sealed/stored-swap.ts'

/** A row to be sealed. `sealed.blockhash` is 0 until its segment numbers the hash. */
export type UnsealedRow = {
  readonly sealed: SealedSwap
  readonly signature: string
  readonly blockhash: string | null
  /** Whether it is a row of `swap`; else it is one of a segment that is rewritten. */
  readonly isInTable: boolean
  /** Whether the codec can store it: its texts are base58 of the lengths of the chain. */
  readonly isSealable: boolean
}

const HASH_BYTES = 32
const SIGNATURE_TEXT_MAX = 88
const HASH_TEXT_MAX = 44
const NO_BYTES = new Uint8Array(SIGNATURE_BYTES)

const copyOf = (low: number, high: number): string => `copy (
  select slot, block_tx_index, timestamp_ms, sol_amount, token_amount, fee, creator_fee,
    virtual_sol_reserves, virtual_token_reserves, real_sol_reserves, real_token_reserves,
    transfer_fee_in, transfer_fee_out, cashback, price_impact_bps, pool_price, price_before,
    price_after, pool_id, wallet_id, ix_index, fee_bps, creator_fee_bps, cashback_bps, time_source,
    agent_trade, dex, quote_decimals, is_buy, signature, wallet_tags,
    virtual_quote_reserves, blockhash
  from swap
  where slot between ${low} and ${high}
) to stdout (format binary)`

/** Rows of slots, both ends included, in any order. */
export async function readUnsealed(
  connection: Connection,
  { low, high }: { low: number; high: number },
): Promise<UnsealedRow[]> {
  const rows: UnsealedRow[] = []
  const isHash = hashChecker()
  await copyOut(connection, copyOf(low, high), async (reader) => {
    while (reader.next()) rows.push(rowOf(reader, isHash))
  })
  return rows
}

function rowOf(reader: RowReader, isHash: (text: string) => boolean): UnsealedRow {
  // Fields are read in the order of the columns, which is that of the properties.
  const sealed: SealedSwap = {
    slot: reader.safe(),
    block_tx_index: reader.safe(),
    timestamp_ms: reader.safe(),
    sol_amount: reader.int8(),
    token_amount: reader.int8(),
    fee: reader.int8(),
    creator_fee: reader.int8(),
    virtual_sol_reserves: reader.int8(),
    virtual_token_reserves: reader.int8(),
    real_sol_reserves: reader.int8(),
    real_token_reserves: reader.int8(),
    transfer_fee_in: reader.int8(),
    transfer_fee_out: reader.int8(),
    cashback: reader.int8(),
    price_impact_bps: reader.isNull() ? null : reader.int8(),
    pool_price: reader.float8(),
    price_before: reader.isNull() ? null : reader.float8(),
    price_after: reader.isNull() ? null : reader.float8(),
    pool_id: reader.int4(),
    wallet_id: reader.int4(),
    ix_index: reader.int4(),
    fee_bps: reader.int4(),
    creator_fee_bps: reader.int4(),
    cashback_bps: reader.int4(),
    time_source: reader.int4(),
    agent_trade: reader.int4(),
    dex: reader.int2(),
    quote_decimals: reader.int2(),
    is_buy: reader.bool(),
    signature: NO_BYTES,
    wallet_tags: null,
    virtual_quote_reserves: null,
    blockhash: 0,
  }
  const signature = reader.ascii()
  sealed.wallet_tags = reader.isNull() ? null : reader.int2()
  sealed.virtual_quote_reserves = reader.isNull() ? null : reader.int8()
  const blockhash = reader.isNull() ? null : reader.ascii()
  const bytes = decodeBase58(signature, SIGNATURE_TEXT_MAX)
  const isSigned = bytes?.length === SIGNATURE_BYTES
  if (isSigned) sealed.signature = bytes
  const isSealable = isSigned && (blockhash === null || isHash(blockhash))
  return { sealed, signature, blockhash, isSealable, isInTable: true }
}

/** A row of a segment, to be sealed again. */
export function unsealedOf(swap: StoredSwap): UnsealedRow {
  const { signature, blockhash } = swap
  const sealed = { ...swap, signature: decodeBase58(signature, SIGNATURE_TEXT_MAX)!, blockhash: 0 }
  return { sealed, signature, blockhash, isSealable: true, isInTable: false }
}

/** Remembers the hash that was checked last: rows of a block follow each other. */
function hashChecker(): (text: string) => boolean {
  let last: { text: string; isHash: boolean } | undefined
  return (text) => {
    if (last?.text !== text) {
      last = { text, isHash: decodeBase58(text, HASH_TEXT_MAX)?.length === HASH_BYTES }
    }
    return last.isHash
  }
}
