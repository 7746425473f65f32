/**
 * From transactions to swaps, pool events and new tokens: a pure function of a block (docs/sources.md).
 *
 * - Failed transactions yield nothing: they carry inner instructions and logs of effects that were undone.
 * - `ixIndex` counts all swaps of a venue in a transaction, those that yield no line too, in execution order.
 * - A swap that yields no line is a reject with its reason. A vault that moved by another amount than the leg of its swap is a
 * mismatch: the line follows the vaults, or is a reject (settle.ts).
 */

import type { BlockWarning, VenueReads } from '../domain/decoder-warning.ts'
import { type ChainEvent, type MarketEvent, payloadOf } from '../domain/events/event.ts'
import { type PoolEvent, poolEventIdentity } from '../domain/events/pool-event.ts'
import { isAddress } from '../domain/numbers/base58.ts'
import { type DexId, VENUES } from '../domain/venue.ts'
import { checkEvent } from '../streams/ingest/contract.ts'
import { type Call, callsOf, venuesOf } from './decoder/call.ts'
import { tagOf } from './decoder/known.ts'
import { amountOr0, lineOf, type Unlisted } from './decoder/line.ts'
import type { PoolChange, PoolRead } from './decoder/pool-change.ts'
import { type Mismatch, type ReadSwap, type Settled, settle } from './decoder/settle.ts'
import { tokensOf } from './decoder/tokens.ts'
import { LOADERS, upgradesOf } from './decoder/upgrades.ts'
import type { VenueReader } from './decoder/venue-reader.ts'
import { type SwapRead, type Undecodable, WSOL_MINT } from './decoder/venue-swap.ts'
import { missingPart } from './transaction/missing-part.ts'
import type { ChainBlock, ChainTransaction, ResultPart } from './transaction/transaction.ts'
import { READERS } from './venues/readers.ts'

export type { Mismatch } from './decoder/settle.ts'

export type RejectReason =
  | Undecodable
  | Unlisted
  /** The vaults moved by other amounts than the event states, and do not show the swap's own. */
  | 'vault_mismatch'
  /** A field that the ingest contract refuses: a damaged or hostile source sent a bad address, decimals or time. */
  | 'invalid_field'

export type Reject = {
  readonly reason: RejectReason
  readonly kind: 'swap' | 'pool_event'
  readonly dex: DexId
  readonly ixIndex: number
  readonly signature: string
}

export type Decoded = {
  /** In execution order; token lines come before the events of their transaction. */
  readonly events: MarketEvent[]
  readonly rejects: Reject[]
  readonly mismatches: Mismatch[]
  /** Transactions whose result lacks a part that the decoder needs: nothing is decoded from them. */
  readonly incomplete: Incomplete[]
  /** In execution order; a discriminator comes once a call. */
  readonly warnings: BlockWarning[]
  /** Entries of the block, those of them that had failed, and those that are no transaction with its whole result. */
  transactionCount: number
  failedCount: number
  unreadableCount: number
}

/** `index`: of the entry in the block. */
export type Incomplete = {
  readonly index: number
  readonly signature: string
  readonly part: ResultPart
}

type VenueDecoder = VenueReader & { readonly dex: DexId }

/** By the address of the venue's program. */
const DECODERS: ReadonlyMap<string, VenueDecoder> = new Map(
  VENUES.map(({ dex, program }) => [program, { dex, ...READERS[dex] }]),
)

/** Programs whose calls are read, those that replace programs among them: a transaction that runs none of them yields nothing. */
export const READ_PROGRAMS: ReadonlySet<string> = new Set([...DECODERS.keys(), ...LOADERS])

export function decodeBlock(block: ChainBlock): Decoded {
  const decoded: Decoded = {
    events: [],
    rejects: [],
    mismatches: [],
    incomplete: [],
    warnings: [],
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

/** A swap or a change of a pool, in execution order: it becomes a line once the whole transaction is read. */
type Read =
  | { readonly kind: 'swap'; readonly dex: DexId; readonly call: Call; readonly swap: SwapRead }
  | { readonly kind: 'pool_event'; readonly dex: DexId; readonly change: PoolRead }

/** State of decoding one transaction. */
type Decoding = {
  readonly block: ChainBlock
  readonly transaction: ChainTransaction
  readonly into: Decoded
  readonly events: ChainEvent[]
  /** Swaps so far, by venue. */
  readonly counts: Map<DexId, number>
  readonly poolEvents: Map<string, PoolEvent>
  /** Mints whose pool was created, with the creator that the venue names. */
  readonly created: Map<string, string | undefined>
}

function decodeTransaction(block: ChainBlock, transaction: ChainTransaction, into: Decoded): void {
  const { programs } = transaction
  let runsLoader = false
  const decoderOf = (program: string): VenueDecoder | undefined => {
    runsLoader ||= LOADERS.has(program)
    return DECODERS.get(program)
  }
  const venues = venuesOf(transaction, decoderOf, programs)
  const part = missingPart(transaction, programs, venues.size > 0)
  if (part !== undefined) {
    into.unreadableCount++
    const { signature } = transaction
    into.incomplete.push({ index: into.transactionCount - 1, signature, part })
    return
  }
  if (runsLoader) into.warnings.push(...upgradesOf(transaction))
  if (venues.size === 0) return
  const reads: Read[] = []
  const swaps: ReadSwap[] = []
  for (const [call, venue] of callsOf(transaction, venues)) {
    const { dex, readSwaps, readPools } = venue
    warnOfUnknown(call, venue, into.warnings)
    for (const swap of readSwaps(call)) {
      reads.push({ kind: 'swap', dex, call, swap })
      if (typeof swap !== 'string') swaps.push({ dex, call, swap })
    }
    for (const change of readPools(call)) reads.push({ kind: 'pool_event', dex, change })
  }
  if (reads.length === 0) return
  const decoding: Decoding = {
    block,
    transaction,
    into,
    events: [],
    counts: new Map(),
    poolEvents: new Map(),
    created: new Map(),
  }
  const settled = settle(transaction, swaps, into.mismatches)[Symbol.iterator]()
  for (const read of reads) {
    if (read.kind === 'pool_event') decodeChange(decoding, read.dex, read.change)
    else if (typeof read.swap === 'string') decodeSwap(decoding, read.call, read.dex, read.swap)
    else decodeSwap(decoding, read.call, read.dex, settled.next().value)
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
}

function warnOfUnknown(call: Call, { dex, known }: VenueDecoder, into: BlockWarning[]): void {
  const tag = tagOf(call, known)
  if (!known.instructions.has(tag)) into.push({ kind: 'unknown_instruction', dex, subject: tag })
  for (const { discriminator } of call.events) {
    const isUnknown = discriminator !== '' && !known.events.has(discriminator)
    if (isUnknown) into.push({ kind: 'unknown_event', dex, subject: discriminator })
  }
}

/** Swaps of each venue that became lines or rejects, for the band of its rejects. */
export function readsOf({ events, rejects }: Pick<Decoded, 'events' | 'rejects'>): VenueReads[] {
  const sums = new Map<DexId, { swaps: number; unreadable: number; noSol: number }>()
  const sumOf = (dex: DexId) => {
    const sum = sums.get(dex) ?? { swaps: 0, unreadable: 0, noSol: 0 }
    sums.set(dex, sum)
    return sum
  }
  for (const event of events) if (event.kind === 'swap') sumOf(event.swap.dex).swaps++
  for (const { dex, kind, reason } of rejects) {
    if (kind !== 'swap') continue
    const sum = sumOf(dex)
    sum.swaps++
    if (reason === 'no_sol_side') sum.noSol++
    else sum.unreadable++
  }
  return Array.from(sums, ([dex, sum]) => ({ dex, ...sum }))
}

function decodeSwap(decoding: Decoding, call: Call, dex: DexId, swap: Settled | Undecodable): void {
  const ixIndex = decoding.counts.get(dex) ?? 0
  decoding.counts.set(dex, ixIndex + 1)
  const read = swap ?? 'vault_mismatch'
  const line = typeof read === 'string' ? read : lineOf(decoding.block, call, dex, ixIndex, read)
  if (typeof line !== 'string') decoding.events.push({ kind: 'swap', swap: line })
  else reject(decoding, 'swap', dex, ixIndex, line)
}

/**
 * A pool event's index is the number of the venue's swaps before it: it lies between the one with the number below and
 * the one with its own. Changes of one kind to a pool between the same two swaps are one event with their sums.
 */
function decodeChange(decoding: Decoding, venue: DexId, change: PoolRead): void {
  const dex = typeof change === 'string' ? venue : (change.dex ?? venue)
  const ixIndex = decoding.counts.get(dex) ?? 0
  if (typeof change === 'string') reject(decoding, 'pool_event', dex, ixIndex, change)
  else listChange(decoding, dex, ixIndex, change)
}

function listChange(decoding: Decoding, dex: DexId, ixIndex: number, change: PoolChange): void {
  const { block, transaction } = decoding
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
