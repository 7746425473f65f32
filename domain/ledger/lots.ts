/**
 * The lots of a position, oldest first: pushed by buys, consumed by sells. Pure.
 *
 * Law: a lot has its ordinal for ever, and chunk k is lots 128 k .. 128 k + 127. Only the oldest chunk (head) and the
 * newest (tail) change, so a position with 100,000 lots costs what one with 10 does; a chunk between them is sealed:
 * written once, read back only when the head is used up.
 *
 *   consumed | head: first ..  | sealed | sealed | tail: .. next - 1 | room
 */

import { LOT_BYTES, type Lot, LotRun } from './lot-run.ts'

/** The part of one lot that one sell consumed. */
export type LotSlice = { ordinal: number; quantity: bigint; cost: bigint }

/** A chunk that was filled, as bytes: to be stored until neither state nor snapshot needs it. */
export type SealedChunk = { chunk: number; bytes: Buffer }

export const CHUNK_LOTS = 128
const chunkOf = (ordinal: number): number => Math.floor(ordinal / CHUNK_LOTS)

export class LotQueue {
  /** Sum of the remaining quantities: the balance. */
  quantity = 0n
  /** Sum of the remaining costs: the strict cost basis. */
  cost = 0n
  /** Least Unix ms of the lots that the last `consume` took. */
  oldestConsumedMs = 0
  /** Lots read so far: a test counts them to verify that a swap costs the same in any position. */
  lotsRead = 0

  /** Ordinal of the oldest lot, and of the one to be pushed next. */
  #first = 0
  #next = 0
  /** The same run while all lots lie in one chunk. */
  #head: LotRun
  #tail: LotRun
  /** Chunks between head and tail that are in memory. */
  #middle: Map<number, LotRun> | undefined
  #sealed: SealedChunk[] | undefined

  constructor(packed?: PackedLots) {
    if (packed === undefined) {
      this.#head = new LotRun(0)
      this.#tail = this.#head
      return
    }
    this.#first = packed.first
    this.#next = packed.next
    this.quantity = packed.quantity
    this.cost = packed.cost
    this.#head = new LotRun(packed.first, packed.head)
    const hasTail = packed.tail.length > 0
    const tailBase = chunkOf(packed.next - 1) * CHUNK_LOTS
    this.#tail = hasTail ? new LotRun(tailBase, packed.tail) : this.#head
  }

  get first(): number {
    return this.#first
  }

  get next(): number {
    return this.#next
  }

  /** Whether there are chunks between the oldest and the newest: without, no lot needs loading. */
  get hasSealed(): boolean {
    return chunkOf(this.#next - 1) > chunkOf(this.#first) + 1
  }

  /** The lowest sealed chunk that this state may read back; all below are of no use to it. */
  get firstSealedChunk(): number {
    return chunkOf(this.#first) + 1
  }

  /** Approximate bytes in memory of the oldest chunk and the newest, consumed lots included. */
  get heldBytes(): number {
    const head = this.#head.heldBytes
    return this.#tail === this.#head ? head : head + this.#tail.heldBytes
  }

  /** Pushes a lot with a quantity above 0; it is the queue's own from here on. */
  push(lot: Lot): void {
    if (this.#next % CHUNK_LOTS === 0 && this.#next > 0) this.#openTail()
    this.#tail.push(lot)
    this.#next += 1
    this.quantity += lot.quantity
    this.cost += lot.cost
  }

  /**
   * Consumes `quantity` (at most the queue's) oldest first and returns its cost; a partly consumed lot gives up the
   * floor of its share. `slices` receives the quantity and cost of each lot.
   */
  consume(quantity: bigint, slices?: LotSlice[]): bigint {
    if (quantity > this.quantity) throw new Error(`cannot consume ${quantity} of ${this.quantity}`)
    let missing = quantity
    let costConsumed = 0n
    this.oldestConsumedMs = Number.POSITIVE_INFINITY
    while (missing > 0n) {
      const ordinal = this.#first
      const lot = this.#head.at(ordinal)
      this.lotsRead += 1
      this.oldestConsumedMs = Math.min(this.oldestConsumedMs, lot.timestamp)
      const isWhole = missing >= lot.quantity
      const taken = isWhole ? lot.quantity : missing
      const cost = isWhole ? lot.cost : (lot.cost * taken) / lot.quantity
      if (isWhole) this.#dropFirst()
      else {
        lot.quantity -= taken
        lot.cost -= cost
        this.#head.put(ordinal, lot)
      }
      missing -= taken
      costConsumed += cost
      slices?.push({ ordinal, quantity: taken, cost })
    }
    this.quantity -= quantity
    this.cost -= costConsumed
    return costConsumed
  }

  /**
   * The first sealed chunk that is not in memory and that consuming `quantity` would reach, with the following ones
   * that are not in memory either, at most `max`; the chunk of the lot that would be the oldest afterwards is included.
   * Before `consume`, call it with the sum of a batch's sells and supply the chunks, until it returns none.
   */
  missingChunks(quantity: bigint, max: number): number[] {
    const first = this.#missingChunk(quantity)
    if (first === undefined) return []
    const end = Math.min(first + max, chunkOf(this.#next - 1))
    const chunks: number[] = []
    for (let chunk = first; chunk < end && !this.#middle?.has(chunk); chunk++) chunks.push(chunk)
    return chunks
  }

  #missingChunk(quantity: bigint): number | undefined {
    const headChunk = chunkOf(this.#first)
    const tailChunk = chunkOf(this.#next - 1)
    if (headChunk + 1 >= tailChunk) return undefined
    let missing = quantity
    for (let ordinal = this.#first; missing >= 0n; ordinal++) {
      const chunk = chunkOf(ordinal)
      if (chunk === tailChunk) return undefined
      const run = chunk === headChunk ? this.#head : this.#middle?.get(chunk)
      if (run === undefined) return chunk
      missing -= run.quantityAt(ordinal)
      this.lotsRead += 1
    }
    return undefined
  }

  /** Loads a sealed chunk back into memory. */
  supply({ chunk, bytes }: SealedChunk): void {
    if (bytes.length !== CHUNK_LOTS * LOT_BYTES) throw new Error(`chunk ${chunk} is not whole`)
    this.#middle ??= new Map()
    this.#middle.set(chunk, new LotRun(chunk * CHUNK_LOTS, bytes))
  }

  /** Chunks sealed since the last call, to be written; sealed chunks leave memory with it. */
  takeSealed(): SealedChunk[] {
    const sealed = this.#sealed ?? []
    this.#sealed = undefined
    this.#middle = undefined
    return sealed
  }

  /** Present head and tail; with the sealed chunks between them they are every lot. */
  pack(): PackedLots {
    return {
      first: this.#first,
      next: this.#next,
      quantity: this.quantity,
      cost: this.cost,
      head: this.#head.pack(this.#first, this.#headEnd()),
      tail: this.#tail.pack(this.#tailBase(), this.#next),
    }
  }

  /** Lengths of the head and of the tail that `pack` makes. */
  get headBytes(): number {
    return (this.#headEnd() - this.#first) * LOT_BYTES
  }

  get tailBytes(): number {
    return (this.#next - this.#tailBase()) * LOT_BYTES
  }

  /** Writes the same bytes where they are wanted. */
  writeHead(view: DataView, offset: number): void {
    this.#head.write(view, offset, this.#first, this.#headEnd())
  }

  writeTail(view: DataView, offset: number): void {
    this.#tail.write(view, offset, this.#tailBase(), this.#next)
  }

  /** Ordinal after the last lot of the head; the head has all lots while they fit one chunk. */
  #headEnd(): number {
    if (this.#head === this.#tail) return this.#next
    return (chunkOf(this.#first) + 1) * CHUNK_LOTS
  }

  /** The first lot of the tail. */
  #tailBase(): number {
    return this.#head === this.#tail ? this.#next : chunkOf(this.#next - 1) * CHUNK_LOTS
  }

  /** The newest chunk is full: the next lot begins another. */
  #openTail(): void {
    const full = this.#tail
    const chunk = chunkOf(this.#next - 1)
    this.#tail = new LotRun(this.#next)
    if (this.#first === this.#next) this.#head = this.#tail
    else if (full !== this.#head) {
      this.#middle ??= new Map()
      this.#middle.set(chunk, full)
      this.#sealed ??= []
      this.#sealed.push({ chunk, bytes: full.pack(chunk * CHUNK_LOTS, this.#next) })
    }
  }

  #dropFirst(): void {
    this.#first += 1
    if (this.#first % CHUNK_LOTS !== 0 || this.#first === this.#next) return
    const chunk = chunkOf(this.#first)
    if (chunk === chunkOf(this.#next - 1)) {
      this.#head = this.#tail
      return
    }
    const run = this.#middle?.get(chunk)
    if (run === undefined) throw new Error(`chunk ${chunk} of the lots was not supplied`)
    this.#middle?.delete(chunk)
    this.#head = run
  }
}

/** The lots of a state but for its sealed chunks. */
type PackedLots = {
  first: number
  next: number
  quantity: bigint
  cost: bigint
  head: Buffer
  tail: Buffer
}
