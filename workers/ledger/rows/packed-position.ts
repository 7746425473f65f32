/**
 * A position's state as bytes and back. Pure.
 *
 * Law: the bytes are a function of the state, so of the position's history only: they compare. They
 * hold everything but the sealed chunks of lots, which have rows of their own, by number, and never change, and the
 * hours of a flush still to come: a snapshot costs the same whatever the lots. Integers are little-endian; a sum has 16
 * bytes, because sums of int64 exceed int64.
 */
import { type Int64, int64 } from '../../../domain/amount.ts'
import type { SwapOrderKey } from '../../../domain/events/swap.ts'
import { LotQueue } from '../../../domain/ledger/lots.ts'
import { emptyPosition, type PositionState } from '../../../domain/ledger/position.ts'
import type { DexId } from '../../../domain/venue.ts'

const VERSION = 2
/** Encodes an undefined time, which is never negative. */
const ABSENT = -1
const FIRST_ROOM_BYTES = 1_024

const SUMS = [
  'balance',
  'basis',
  'realizedStrict',
  'realizedAdjusted',
  'buysLamports',
  'sellsLamports',
  'uncoveredQuantity',
  'uncoveredLamports',
  'largestBuyLamports',
  'largestSellLamports',
] as const satisfies (keyof PositionState)[]

const COUNTS = [
  'swapCount',
  'decimals',
  'buyCount',
  'sellCount',
  'coveredSellCount',
  'winCount',
  'firstTradeMs',
  'lastTradeMs',
  'transactionCount',
  'arbitrageCount',
] as const satisfies (keyof PositionState)[]

const TIMES = [
  'fastestFlipMs',
  'longestHoldMs',
  'newestBuyMs',
] as const satisfies (keyof PositionState)[]

export function packState(state: PositionState): Buffer {
  const writer = new Writer()
  writer.byte(VERSION)
  for (const name of SUMS) writer.sum(state[name])
  for (const name of COUNTS) writer.number(state[name])
  for (const name of TIMES) writer.number(state[name] ?? ABSENT)
  writer.byte(state.last === undefined ? 0 : 1)
  if (state.last !== undefined) writeOrderKey(writer, state.last)
  // In a fixed order: how they came into the map depends on where the fold was interrupted.
  const transactions = [...transactionsOf(state)].sort(bySignature)
  writer.number(transactions.length)
  for (const [signature, sides] of transactions) {
    writer.text(signature)
    writer.byte(sides)
  }
  writer.number(state.heldChanges.length)
  for (const change of state.heldChanges) writer.number(change)
  const lots = state.lots.pack()
  writer.number(lots.first)
  writer.number(lots.next)
  writer.sum(lots.quantity)
  writer.sum(lots.cost)
  writer.bytes(lots.head)
  writer.bytes(lots.tail)
  return writer.end()
}

function transactionsOf({
  last,
  lastSides,
  slotTransactions,
}: PositionState): Iterable<[string, number]> {
  return slotTransactions ?? (last === undefined ? [] : [[last.signature, lastSides]])
}

const bySignature = ([a]: [string, number], [b]: [string, number]): number => (a < b ? -1 : 1)

/** Throws when the bytes are not those of `packState`. */
export function unpackState(bytes: Buffer): PositionState {
  const reader = new Reader(bytes)
  const version = reader.byte()
  if (version !== VERSION) throw new Error(`packed position of version ${version}: not ${VERSION}`)
  const state = emptyPosition()
  for (const name of SUMS) state[name] = reader.sum()
  for (const name of COUNTS) state[name] = reader.number()
  for (const name of TIMES) {
    const ms = reader.number()
    state[name] = ms === ABSENT ? undefined : ms
  }
  if (reader.byte() === 1) state.last = readOrderKey(reader)
  const transactions = new Map<string, number>()
  for (let left = reader.number(); left > 0; left--) {
    const signature = reader.text()
    transactions.set(signature, reader.byte())
  }
  state.lastSides = transactions.get(state.last?.signature ?? '') ?? 0
  if (transactions.size > 1) state.slotTransactions = transactions
  for (let left = reader.number(); left > 0; left--) state.heldChanges.push(reader.number())
  state.lots = new LotQueue({
    first: reader.number(),
    next: reader.number(),
    quantity: reader.sum(),
    cost: reader.sum(),
    head: reader.bytes(),
    tail: reader.bytes(),
  })
  reader.end()
  return state
}

function writeOrderKey(writer: Writer, key: SwapOrderKey): void {
  writer.number(key.slot)
  writer.number(key.blockTxIndex)
  writer.number(key.ixIndex)
  writer.byte(key.dex)
  writer.byte(key.isBuy ? 1 : 0)
  writer.text(key.signature)
  writer.text(key.pairAddress)
  writer.text(key.user)
  writer.int64(key.solAmount)
  writer.int64(key.tokenAmount)
}

function readOrderKey(reader: Reader): SwapOrderKey {
  return {
    slot: reader.number(),
    blockTxIndex: reader.number(),
    ixIndex: reader.number(),
    dex: reader.byte() as DexId,
    isBuy: reader.byte() === 1,
    signature: reader.text(),
    pairAddress: reader.text(),
    user: reader.text(),
    solAmount: reader.int64(),
    tokenAmount: reader.int64(),
  }
}

/** Appends to a buffer that widens. */
class Writer {
  #buffer = Buffer.allocUnsafe(FIRST_ROOM_BYTES)
  #length = 0

  byte(value: number): void {
    const at = this.#room(1)
    this.#buffer.writeUInt8(value, at)
  }

  number(value: number): void {
    const at = this.#room(8)
    this.#buffer.writeDoubleLE(value, at)
  }

  int64(value: Int64): void {
    const at = this.#room(8)
    this.#buffer.writeBigInt64LE(BigInt(value), at)
  }

  sum(value: bigint): void {
    const at = this.#room(16)
    this.#buffer.writeBigUInt64LE(BigInt.asUintN(64, value), at)
    this.#buffer.writeBigInt64LE(value >> 64n, at + 8)
  }

  /** Base58, so ASCII. */
  text(value: string): void {
    const at = this.#room(4 + value.length)
    this.#buffer.writeUInt32LE(value.length, at)
    this.#buffer.write(value, at + 4, 'latin1')
  }

  bytes(value: Buffer): void {
    const at = this.#room(4 + value.length)
    this.#buffer.writeUInt32LE(value.length, at)
    value.copy(this.#buffer, at + 4)
  }

  end(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }

  /** Where the next `bytes` bytes go. */
  #room(bytes: number): number {
    const at = this.#length
    this.#length += bytes
    if (this.#length > this.#buffer.length) {
      const wider = Buffer.allocUnsafe(2 * this.#length)
      this.#buffer.copy(wider, 0, 0, at)
      this.#buffer = wider
    }
    return at
  }
}

class Reader {
  readonly #buffer: Buffer
  #at = 0

  constructor(buffer: Buffer) {
    this.#buffer = buffer
  }

  byte(): number {
    return this.#buffer.readUInt8(this.#past(1))
  }

  number(): number {
    return this.#buffer.readDoubleLE(this.#past(8))
  }

  int64(): Int64 {
    return int64(this.#buffer.readBigInt64LE(this.#past(8)))
  }

  sum(): bigint {
    const at = this.#past(16)
    return (this.#buffer.readBigInt64LE(at + 8) << 64n) | this.#buffer.readBigUInt64LE(at)
  }

  text(): string {
    return this.bytes().toString('latin1')
  }

  /** A view: copy it before a change, as lots do. */
  bytes(): Buffer {
    const length = this.#buffer.readUInt32LE(this.#past(4))
    const at = this.#past(length)
    if (this.#at > this.#buffer.length) throw new RangeError('a packed position ends too early')
    return this.#buffer.subarray(at, this.#at)
  }

  end(): void {
    const left = this.#buffer.length - this.#at
    if (left !== 0) throw new Error(`a packed position has ${left} bytes too many`)
  }

  #past(bytes: number): number {
    const at = this.#at
    this.#at += bytes
    return at
  }
}
