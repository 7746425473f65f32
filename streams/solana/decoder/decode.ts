/**
 * From transactions to swaps, pool events and new tokens: a pure function of a block (docs/sources.md).
 *
 * - Failed transactions yield nothing: they carry inner instructions and logs of effects that were undone.
 * - `ixIndex` counts all swaps of a venue in a transaction, those that yield no line too, in execution order.
 * - A swap that yields no line is a reject with its reason; a vault that moved by another amount than the leg of its
 * only swap is a mismatch, and the swap is decoded from the event.
 */
import { INT64_MAX, type Int64, int64 } from '../../../domain/amount.ts'
import { type ChainEvent, type MarketEvent, payloadOf } from '../../../domain/events/event.ts'
import { type PoolEvent, poolEventIdentity } from '../../../domain/events/pool-event.ts'
import { SWAP_DEFAULTS, type Swap } from '../../../domain/events/swap.ts'
import { isAddress } from '../../../domain/numbers/base58.ts'
import { type DexId, VENUES } from '../../../domain/venue.ts'
import { checkEvent } from '../../ingest/contract.ts'
import { type Call, callsOf, venuesOf } from './call.ts'
import {
  readMeteoraDammV2Pools,
  readMeteoraDbcPools,
  readMeteoraDlmmPools,
  readMeteoraPoolsPools,
} from './pool-events/meteora.ts'
import { readOrcaPools } from './pool-events/orca.ts'
import type { PoolChange, PoolReader } from './pool-events/pool-change.ts'
import { readPumpfunPools, readPumpswapPools } from './pool-events/pump.ts'
import {
  readRaydiumAmmPools,
  readRaydiumClmmPools,
  readRaydiumCpmmPools,
} from './pool-events/raydium.ts'
import { tokensOf } from './tokens.ts'
import type { ChainBlock, ChainTransaction } from './transaction.ts'
import { movedWithin } from './transfers.ts'
import {
  type Side,
  type SqrtPrice,
  type SwapRead,
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

export type RejectReason =
  | Undecodable
  | 'no_sol_side'
  | 'no_decimals'
  | 'no_amount'
  | 'amount_out_of_range'
  | 'no_block_time'
  /** A field that the ingest contract refuses: a damaged or hostile source sent a bad address, decimals or time. */
  | 'invalid_field'

export type Reject = {
  readonly reason: RejectReason
  readonly kind: 'swap' | 'pool_event'
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
  /** In execution order; token lines come before the events of their transaction. */
  readonly events: MarketEvent[]
  readonly rejects: Reject[]
  readonly mismatches: Mismatch[]
  /** Entries of the block, those of them that had failed, and those that are no transaction with its result. */
  transactionCount: number
  failedCount: number
  unreadableCount: number
}

type VenueDecoder = {
  readonly dex: DexId
  readonly readSwaps: SwapReader
  readonly readPools: PoolReader
}

/** Readers by venue. A venue without a row is not read from blocks: producers publish its events. */
const READERS: Readonly<Partial<Record<DexId, readonly [SwapReader, PoolReader]>>> = {
  1: [readPumpfun, readPumpfunPools],
  2: [readPumpswap, readPumpswapPools],
  3: [readRaydiumAmm, readRaydiumAmmPools],
  4: [readRaydiumClmm, readRaydiumClmmPools],
  5: [readRaydiumCpmm, readRaydiumCpmmPools],
  6: [readOrca, readOrcaPools],
  7: [readMeteoraDammV2, readMeteoraDammV2Pools],
  8: [readMeteoraDbc, readMeteoraDbcPools],
  9: [readMeteoraDlmm, readMeteoraDlmmPools],
  10: [readMeteoraPools, readMeteoraPoolsPools],
}

/** By the address of the venue's program. */
const DECODERS: ReadonlyMap<string, VenueDecoder> = new Map(
  VENUES.flatMap(({ dex, program }): [string, VenueDecoder][] => {
    const [readSwaps, readPools] = READERS[dex] ?? []
    if (readSwaps === undefined || readPools === undefined) return []
    return [[program, { dex, readSwaps, readPools }]]
  }),
)

/** Programs whose calls are decoded: a transaction that runs none of them yields nothing. */
export const DECODED_PROGRAMS: ReadonlySet<string> = new Set(DECODERS.keys())

export function decodeBlock(block: ChainBlock): Decoded {
  const decoded: Decoded = {
    events: [],
    rejects: [],
    mismatches: [],
    transactionCount: 0,
    failedCount: 0,
    unreadableCount: 0,
  }
  for (const transaction of block.transactions) {
    decoded.transactionCount++
    if (transaction === undefined) decoded.unreadableCount++
    else if (transaction.hasFailed) decoded.failedCount++
    else decodeTransaction(block, transaction, decoded)
  }
  return decoded
}

/** State of decoding one transaction. */
type Decoding = {
  readonly block: ChainBlock
  readonly transaction: ChainTransaction
  readonly into: Decoded
  readonly events: ChainEvent[]
  /** Swaps so far, by venue. */
  readonly counts: Map<DexId, number>
  readonly legs: VaultLeg[]
  readonly poolEvents: Map<string, PoolEvent>
  /** Mints whose pool was created, with the creator that the venue names. */
  readonly created: Map<string, string | undefined>
}

function decodeTransaction(block: ChainBlock, transaction: ChainTransaction, into: Decoded): void {
  const venues = venuesOf(transaction, (program) => DECODERS.get(program))
  if (venues.size === 0) return
  const decoding: Decoding = {
    block,
    transaction,
    into,
    events: [],
    counts: new Map(),
    legs: [],
    poolEvents: new Map(),
    created: new Map(),
  }
  for (const [call, venue] of callsOf(transaction, venues)) {
    for (const swap of venue.readSwaps(call)) decodeSwap(decoding, call, venue.dex, swap)
    for (const change of venue.readPools(call)) decodeChange(decoding, venue.dex, change)
  }
  if (decoding.created.size > 0) {
    for (const token of tokensOf(transaction, block.slot, decoding.created)) {
      if (isAddress(token.tokenAddress)) into.events.push({ kind: 'token', token })
    }
  }
  for (const event of decoding.events) {
    if (checkEvent(event) === undefined) into.events.push(event)
    else rejectInvalid(decoding, event)
  }
  if (decoding.legs.length > 0) into.mismatches.push(...mismatchesOf(transaction, decoding.legs))
}

function decodeSwap(decoding: Decoding, call: Call, dex: DexId, swap: SwapRead): void {
  const ixIndex = decoding.counts.get(dex) ?? 0
  decoding.counts.set(dex, ixIndex + 1)
  const line = typeof swap === 'string' ? swap : lineOf(decoding.block, call, dex, ixIndex, swap)
  if (typeof swap !== 'string') {
    decoding.legs.push(
      { dex, call, vault: swap.input.vault, moved: swap.input.baseUnits },
      { dex, call, vault: swap.output.vault, moved: -swap.output.baseUnits },
    )
  }
  if (typeof line !== 'string') decoding.events.push({ kind: 'swap', swap: line })
  else reject(decoding, 'swap', dex, ixIndex, line)
}

/**
 * A pool event's index is the number of the venue's swaps before it: it lies between the one with the number below and
 * the one with its own. Changes of one kind to a pool between the same two swaps are one event with their sums.
 */
function decodeChange(decoding: Decoding, venue: DexId, change: PoolChange): void {
  const { block, transaction } = decoding
  const dex = change.dex ?? venue
  const ixIndex = decoding.counts.get(dex) ?? 0
  const sol = change.sides.find(({ mint }) => mint === WSOL_MINT)
  const others = change.sides.filter(({ mint }) => mint !== WSOL_MINT)
  const [token] = others
  if (sol === undefined || token === undefined || others.length > 1) {
    reject(decoding, 'pool_event', dex, ixIndex, 'no_sol_side')
    return
  }
  if (block.timestamp === undefined) {
    reject(decoding, 'pool_event', dex, ixIndex, 'no_block_time')
    return
  }
  if (change.event === 'created') decoding.created.set(token.mint, change.creator)
  const poolEvent: PoolEvent = {
    event: change.event,
    signature: transaction.signature,
    slot: block.slot,
    timestamp: block.timestamp,
    pairAddress: change.pool,
    tokenAddress: token.mint,
    dex,
    blockTxIndex: transaction.index ?? 0,
    ixIndex,
    ...(change.creator ? { creator: change.creator } : {}),
    ...(change.fromPair === undefined ? {} : { fromPair: change.fromPair }),
    ...(sol.baseUnits === undefined ? {} : { solAmount: amountOr0(sol.baseUnits) }),
    ...(token.baseUnits === undefined ? {} : { tokenAmount: amountOr0(token.baseUnits) }),
  }
  const identity = poolEventIdentity(poolEvent)
  const earlier = decoding.poolEvents.get(identity)
  if (earlier !== undefined) {
    addAmounts(earlier, poolEvent)
    return
  }
  decoding.poolEvents.set(identity, poolEvent)
  decoding.events.push({ kind: 'pool_event', poolEvent })
}

function addAmounts(earlier: PoolEvent, later: PoolEvent): void {
  for (const name of ['solAmount', 'tokenAmount'] as const) {
    const sum = BigInt(earlier[name] ?? 0) + BigInt(later[name] ?? 0)
    if (sum > 0n) earlier[name] = amountOr0(sum)
  }
}

function reject(
  decoding: Decoding,
  kind: Reject['kind'],
  dex: DexId,
  ixIndex: number,
  reason: RejectReason,
): void {
  const { signature } = decoding.transaction
  decoding.into.rejects.push({ reason, kind, dex, ixIndex, signature })
}

function rejectInvalid(decoding: Decoding, event: ChainEvent): void {
  const { dex, ixIndex } = payloadOf(event)
  reject(decoding, event.kind, dex, ixIndex, 'invalid_field')
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
  if (token.baseUnits <= 0n) return 'no_amount'
  if (sol.baseUnits < 0n) return 'amount_out_of_range'
  if (sol.baseUnits > INT64_MAX || token.baseUnits > INT64_MAX) return 'amount_out_of_range'
  if (block.timestamp === undefined) return 'no_block_time'
  return {
    ...SWAP_DEFAULTS,
    blockhash: undefined,
    signature: transaction.signature,
    slot: block.slot,
    timestamp: block.timestamp,
    tokenAddress: token.mint,
    pairAddress: swap.pool,
    user: traderOf(call, swap.trader),
    isBuy,
    dex,
    solAmount: int64(sol.baseUnits),
    tokenAmount: int64(token.baseUnits),
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
    virtualQuoteReserves: amountOf(swap.virtualQuote),
  }
}

/** The venue's trader where it signed, else the one that pays: routers swap with accounts of their own. */
function traderOf(call: Call, named: string): string {
  const { transaction } = call
  for (let index = 0; index < transaction.signerCount; index++) {
    if (transaction.key(index) === named) return named
  }
  return transaction.key(0)
}

/** Amounts beyond int64 or below 0 are no amounts of a pool: reserves of such count as unknown. */
const amountOr0 = (baseUnits: bigint | undefined): Int64 => amountOf(baseUnits) ?? 0

function amountOf(baseUnits: bigint | undefined): Int64 | undefined {
  if (baseUnits === undefined || baseUnits < 0n || baseUnits > INT64_MAX) return undefined
  return int64(baseUnits)
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
