/**
 * The bulk COPY of the swap writer: rows of `swap` and of `swap_signature`, in the order of the column
 * lists below (the only SQL in TypeScript).
 */
import type { ClientBase } from 'pg'
import type { Swap } from '../../../domain/events/swap.ts'
import { hashSignature, pairHash, signatureHash } from '../../../domain/numbers/signature-hash.ts'
import { CopyBuffer, copyIn } from '../../../sql/binary/copy-writer.ts'
import { sqlCode } from '../../../sql/db.ts'
import { StoredAlready } from '../look-up.ts'
import type { AcceptedSwap } from '../pool-state.ts'
import type { SignatureRows } from './signature-rows.ts'

const COPY_SWAPS = `copy swap (
  slot, block_tx_index, timestamp_ms, sol_amount, token_amount, fee, creator_fee,
  virtual_sol_reserves, virtual_token_reserves, real_sol_reserves, real_token_reserves,
  transfer_fee_in, transfer_fee_out, cashback, price_impact_bps, pool_price, price_before,
  price_after, pool_id, wallet_id, ix_index, fee_bps, creator_fee_bps, cashback_bps, time_source,
  agent_trade, dex, quote_decimals, is_buy, signature, wallet_tags,
  virtual_quote_reserves, blockhash, outside_protocol_bps, outside_creator_bps
) from stdin (format binary)`

const COPY_SIGNATURES = `copy swap_signature (
  signature_hash, slot, block_tx_index, pair_hash, copy
) from stdin (format binary)`

const SWAP_COLUMNS = 35
/** 35 lengths, 19 fields of 8 bytes, 8 of 4, 5 of 2, one of 1, a signature of at most 88, and a blockhash of 44. */
const SWAP_ROW_BYTES = 2 + 35 * 4 + 19 * 8 + 8 * 4 + 5 * 2 + 1 + 88 + 44

export function encodeSwapRows(
  swaps: readonly AcceptedSwap[],
  walletIds: ReadonlyMap<string, number>,
): Buffer {
  const rows = new CopyBuffer(64 + swaps.length * SWAP_ROW_BYTES)
  for (const accepted of swaps) writeSwapRow(rows, accepted, walletIds.get(accepted.swap.user)!)
  return rows.finish()
}

function writeSwapRow(rows: CopyBuffer, accepted: AcceptedSwap, walletId: number): void {
  const swap = accepted.swap
  rows.row(SWAP_COLUMNS, SWAP_ROW_BYTES)
  rows.int8(swap.slot)
  rows.int8(swap.blockTxIndex)
  rows.int8(swap.timestamp)
  rows.int8(swap.solAmount)
  rows.int8(swap.tokenAmount)
  rows.int8(swap.fee)
  rows.int8(swap.creatorFee)
  rows.int8(swap.virtualSolReserves)
  rows.int8(swap.virtualTokenReserves)
  rows.int8(swap.realSolReserves)
  rows.int8(swap.realTokenReserves)
  rows.int8(swap.transferFeeIn)
  rows.int8(swap.transferFeeOut)
  rows.int8(swap.cashback)
  if (accepted.priceImpactBps === null) rows.null()
  else rows.int8(accepted.priceImpactBps)
  rows.float8(accepted.poolPrice)
  writePrice(rows, swap.priceBefore)
  writePrice(rows, swap.priceAfter)
  rows.int4(accepted.state.poolId)
  rows.int4(walletId)
  rows.int4(swap.ixIndex)
  rows.int4(swap.feeBps)
  rows.int4(swap.creatorFeeBps)
  rows.int4(swap.cashbackBps)
  rows.int4(swap.timeSource)
  rows.int4(swap.agentTrade)
  rows.int2(swap.dex)
  rows.int2(swap.quoteDecimals)
  rows.bool(swap.isBuy)
  rows.ascii(swap.signature)
  if (accepted.walletTags === 0) rows.null()
  else rows.int2(accepted.walletTags)
  if (swap.virtualQuoteReserves === undefined) rows.null()
  else rows.int8(swap.virtualQuoteReserves)
  if (swap.blockhash === undefined) rows.null()
  else rows.ascii(swap.blockhash)
  writeRate(rows, swap.outsideProtocolBps)
  writeRate(rows, swap.outsideCreatorBps)
}

function writeRate(rows: CopyBuffer, bps: number | undefined): void {
  if (bps === undefined) rows.null()
  else rows.int2(bps)
}

function writePrice(rows: CopyBuffer, price: number | undefined): void {
  if (price === undefined) rows.null()
  else rows.float8(price)
}

/** A count, five lengths, three fields of 8 bytes, two of 4. */
const SIGNATURE_ROW_BYTES = 2 + 5 * 4 + 3 * 8 + 2 * 4

/**
 * One row a transaction and pool. Without `rows` all are assumed to be new, and each has the copy 0, which the unique
 * index refuses for a stored one.
 */
export function encodeSignatureRows(swaps: readonly AcceptedSwap[], rows?: SignatureRows): Buffer {
  const bytes = new CopyBuffer(64 + swaps.length * SIGNATURE_ROW_BYTES)
  let previous: Swap | undefined
  let hashOfPair = 0
  const halves = new Int32Array(2)
  for (const { swap } of swaps) {
    // Accepted swaps are ordered by pool, so swaps of one transaction in one pool are neighbours.
    if (previous === undefined || previous.pairAddress !== swap.pairAddress) {
      hashOfPair = pairHash(swap.pairAddress)
    } else if (isSameTransaction(previous, swap)) continue
    previous = swap
    const copy = rows === undefined ? 0 : rows.add(signatureHash(swap.signature), hashOfPair, swap)
    if (copy === undefined) continue
    bytes.row(5, SIGNATURE_ROW_BYTES)
    hashSignature(swap.signature, halves, 0)
    bytes.int8OfHalves(halves[0]!, halves[1]!)
    bytes.int8(swap.slot)
    bytes.int8(swap.blockTxIndex)
    bytes.int4(hashOfPair)
    bytes.int4(copy)
  }
  return bytes.finish()
}

function isSameTransaction(a: Swap, b: Swap): boolean {
  return a.signature === b.signature && a.slot === b.slot && a.blockTxIndex === b.blockTxIndex
}

/** Rejects with StoredAlready when a signature's row is stored. */
export async function copySwaps(
  connection: ClientBase,
  swapRows: Buffer,
  signatureRows: Buffer,
): Promise<void> {
  // Signatures first: refused rows of `swap` would have been written in vain.
  const signatures = copyIn(connection, COPY_SIGNATURES, signatureRows)
  const swaps = copyIn(connection, COPY_SWAPS, swapRows)
  swaps.catch(() => {})
  await signatures.catch((error: unknown) => {
    if (!isSignatureKnown(error)) throw error
    throw new StoredAlready('a signature is stored already', { cause: error })
  })
  await swaps
}

const UNIQUE_VIOLATION = '23505'

function isSignatureKnown(error: unknown): boolean {
  const { constraint } = error as { constraint?: string }
  return sqlCode(error) === UNIQUE_VIOLATION && constraint === 'swap_signature_key'
}
