/**
 * From transactions to swaps: a pure function of a block.
 *
 * Laws (../../../docs/sources.md):
 * - Failed transactions yield nothing: they carry inner instructions and logs of what was undone.
 * - `ixIndex` counts the swaps of one venue in a transaction in execution order, those without a SOL side and
 *   those that cannot be read too, so that a later decoder numbers the others as this one does.
 * - Each swap that yields no line is a reject with its reason: none is dropped silently.
 * - Where a vault is touched by one swap alone, its balance must move by the leg: a difference is reported, and the
 *   swap is taken as the event tells it.
 */
import { INT64_MAX, type Int64, int64 } from '../../../domain/amount.ts'
import { SWAP_DEFAULTS, type Swap } from '../../../domain/events/swap.ts'
import type { DexId } from '../../../domain/venue.ts'
import { type Call, callsOf, isSigner } from './call.ts'
import type { ChainBlock, ChainTransaction } from './transaction.ts'
import { movedWithin } from './transfers.ts'
import {
  type Side,
  type SqrtPrice,
  type SwapReader,
  type Undecodable,
  type VenueSwap,
  WSOL_MINT,
} from './venue-swap.ts'
import { readMeteoraDammV2 } from './venues/meteora-damm-v2.ts'
import { readMeteoraDbc } from './venues/meteora-dbc.ts'
import { readMeteoraDlmm } from './venues/meteora-dlmm.ts'
import { readMeteoraPools } from './venues/meteora-pools.ts'
import { readOrca } from './venues/orca.ts'
import { readPumpfun } from './venues/pumpfun.ts'
import { readPumpswap } from './venues/pumpswap.ts'
import { readRaydiumAmm } from './venues/raydium-amm.ts'
import { readRaydiumClmm } from './venues/raydium-clmm.ts'
import { readRaydiumCpmm } from './venues/raydium-cpmm.ts'

/** Raised whenever a line changes that was decoded before. */
export const DECODER_VERSION = 1

export type RejectReason =
  | Undecodable
  | 'no_sol_side'
  | 'no_decimals'
  | 'no_amount'
  | 'amount_out_of_range'
  | 'no_block_time'

export type Reject = {
  readonly reason: RejectReason
  readonly dex: DexId
  readonly ixIndex: number
  readonly signature: string
}

/** A vault whose balance did not move by the leg of its only swap. */
export type Mismatch = {
  readonly dex: DexId
  readonly signature: string
  readonly vault: string
  /** Base units, negative out of the vault. */
  readonly expected: bigint
  readonly actual: bigint
}

export type Decoded = {
  readonly swaps: Swap[]
  readonly rejects: Reject[]
  readonly mismatches: Mismatch[]
  /** Transactions that were read, and those of them that had failed. */
  transactionCount: number
  failedCount: number
}

type VenueDecoder = { readonly dex: DexId; readonly read: SwapReader }

const DECODERS: ReadonlyMap<string, VenueDecoder> = new Map<string, VenueDecoder>([
  ['6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P', { dex: 1, read: readPumpfun }],
  ['pAMMBay6oceH9fJKBRHGP5D4bD4sWpmSwMn52FMfXEA', { dex: 2, read: readPumpswap }],
  ['675kPX9MHTjS2zt1qfr1NYHuzeLXfQM9H24wFSUt1Mp8', { dex: 3, read: readRaydiumAmm }],
  ['CAMMCzo5YL8w4VFF8KVHrK22GGUsp5VTaW7grrKgrWqK', { dex: 4, read: readRaydiumClmm }],
  ['CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C', { dex: 5, read: readRaydiumCpmm }],
  ['whirLbMiicVdio4qvUfM5KAg6Ct8VwpYzGff3uctyCc', { dex: 6, read: readOrca }],
  ['cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG', { dex: 7, read: readMeteoraDammV2 }],
  ['dbcij3LWUppWqq96dh6gJWwBifmcGfLSB5D4DuSMaqN', { dex: 8, read: readMeteoraDbc }],
  ['LBUZKhRxPF3XUpBCjp4YzTKgLccjZhTSDM9YuVaPwxo', { dex: 9, read: readMeteoraDlmm }],
  ['Eo7WjKq67rjJQSZxS6z3YkapzY3eMj6Xy8X5EQVn5UaB', { dex: 10, read: readMeteoraPools }],
])

export function decodeBlock(block: ChainBlock): Decoded {
  const decoded: Decoded = {
    swaps: [],
    rejects: [],
    mismatches: [],
    transactionCount: 0,
    failedCount: 0,
  }
  for (const transaction of block.transactions) {
    decoded.transactionCount++
    if (transaction.hasFailed) decoded.failedCount++
    else decodeTransaction(block, transaction, decoded)
  }
  return decoded
}

function decodeTransaction(block: ChainBlock, transaction: ChainTransaction, into: Decoded): void {
  const counts = new Map<DexId, number>()
  const vaults: VaultLeg[] = []
  for (const [call, { dex, read }] of callsOf(transaction, (program) => DECODERS.get(program))) {
    for (const swap of read(call)) {
      const ixIndex = counts.get(dex) ?? 0
      counts.set(dex, ixIndex + 1)
      const reject = (reason: RejectReason): void => {
        into.rejects.push({ reason, dex, ixIndex, signature: transaction.signature })
      }
      if (typeof swap === 'string') {
        reject(swap)
        continue
      }
      vaults.push(
        { dex, call, vault: swap.input.vault, moved: swap.input.amount },
        { dex, call, vault: swap.output.vault, moved: -swap.output.amount },
      )
      const line = lineOf(block, call, dex, ixIndex, swap)
      if (typeof line === 'string') reject(line)
      else into.swaps.push(line)
    }
  }
  into.mismatches.push(...mismatchesOf(transaction, vaults))
}

type VaultLeg = { dex: DexId; call: Call; vault: number | undefined; moved: bigint }

/** The vaults that one swap alone touched, and that moved by something else than its leg. */
function* mismatchesOf(
  transaction: ChainTransaction,
  legs: readonly VaultLeg[],
): Generator<Mismatch> {
  for (const { dex, call, vault, moved } of legs) {
    if (vault === undefined) continue
    if (legs.filter((other) => other.vault === vault).length > 1) continue
    const actual = movedWithin(transaction, call.transfers(), vault, call.at, call.end)
    if (actual === undefined || actual === moved) continue
    const { signature } = transaction
    yield { dex, signature, vault: transaction.key(vault), expected: moved, actual }
  }
}

function lineOf(
  block: ChainBlock,
  call: Call,
  dex: DexId,
  ixIndex: number,
  swap: VenueSwap,
): Swap | RejectReason {
  const { transaction } = call
  const isBuy = swap.input.mint === WSOL_MINT
  if (isBuy === (swap.output.mint === WSOL_MINT)) return 'no_sol_side'
  const [sol, token] = isBuy ? [swap.input, swap.output] : [swap.output, swap.input]
  if (token.decimals === undefined) return 'no_decimals'
  if (token.amount <= 0n) return 'no_amount'
  if (sol.amount > INT64_MAX || token.amount > INT64_MAX) return 'amount_out_of_range'
  if (block.timestamp === undefined) return 'no_block_time'
  return {
    ...SWAP_DEFAULTS,
    signature: transaction.signature,
    slot: block.slot,
    timestamp: block.timestamp,
    tokenAddress: token.mint,
    pairAddress: swap.pool,
    user: traderOf(call, swap.trader),
    isBuy,
    dex,
    solAmount: int64(sol.amount),
    tokenAmount: int64(token.amount),
    fee: amountOr0(swap.fee),
    feeBps: Number(amountOr0(swap.feeBps)),
    creatorFee: amountOr0(swap.creatorFee),
    creatorFeeBps: Number(amountOr0(swap.creatorFeeBps)),
    quoteDecimals: token.decimals,
    virtualSolReserves: amountOr0(swap.virtualSol),
    virtualTokenReserves: amountOr0(swap.virtualToken),
    realSolReserves: amountOr0(sol.reserve),
    realTokenReserves: amountOr0(token.reserve),
    transferFeeIn: isBuy ? 0 : amountOr0(token.transferFee),
    transferFeeOut: isBuy ? amountOr0(token.transferFee) : 0,
    cashback: amountOr0(swap.cashback),
    cashbackBps: Number(amountOr0(swap.cashbackBps)),
    blockTxIndex: transaction.index ?? 0,
    ixIndex,
    priceBefore: priceOf(swap.priceBefore, token),
    priceAfter: priceOf(swap.priceAfter, token),
  }
}

/** The venue's trader where it signed, else the one that pays: routers swap with accounts of their own. */
function traderOf(call: Call, named: string): string {
  const { transaction } = call
  for (let index = 0; isSigner(call, index); index++) {
    if (transaction.key(index) === named) return named
  }
  return transaction.key(0)
}

/** Amounts beyond int64 or below 0 are no amounts of a pool: reserves of such count as unknown. */
function amountOr0(amount: bigint | undefined): Int64 {
  return amount === undefined || amount < 0n || amount > INT64_MAX ? 0 : int64(amount)
}

const TWO_TO_64 = 2 ** 64
const SOL_DECIMALS = 9

/** SOL for a whole token; undefined where the venue published no price. */
function priceOf(price: SqrtPrice | undefined, token: Side): number | undefined {
  if (price === undefined || price.sqrtX64 === 0n || token.decimals === undefined) return undefined
  const root = Number(price.sqrtX64) / TWO_TO_64
  const ratio = price.base === token.mint ? root * root : 1 / (root * root)
  return ratio * 10 ** (token.decimals - SOL_DECIMALS)
}
