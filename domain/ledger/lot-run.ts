/**
 * Neighbouring lots of a position: stored lots stay packed bytes until one is requested, and lots pushed since are
 * objects. A position that is read, changed a little and written again costs by its changes, not by its size. Pure.
 *
 * Decision: docs/decisions/0023-lots-are-packed.md
 */

export type Lot = { quantity: bigint; cost: bigint; timestamp: number }

/** Quantity, cost and Unix ms of a lot, 8 bytes each, little-endian. */
export const LOT_BYTES = 24

/** Approximate bytes in memory of a lot that is an object. */
const HELD_LOT_BYTES = 130
/** So few cost less as objects. */
const FEW_BYTES = 2 * LOT_BYTES
const NOTHING = Buffer.alloc(0)

export class LotRun {
  /** Ordinal of the first lot. Consumed lots stay until the run is dropped. */
  readonly base: number
  #packed: Buffer = NOTHING
  /** The bytes belong to the caller: they are copied before the first change. */
  #isShared = true
  /** Lots after the packed ones. */
  #lots: Lot[] = []

  /** `stored`: whole lots as bytes, which are not changed. */
  constructor(base: number, stored: Buffer = NOTHING) {
    this.base = base
    if (stored.length > FEW_BYTES) this.#packed = stored
    else for (let at = 0; at < stored.length; at += LOT_BYTES) this.push(readLot(stored, at))
  }

  /** Approximate bytes in memory. */
  get heldBytes(): number {
    return this.#packed.length + this.#lots.length * HELD_LOT_BYTES
  }

  /** One lot; changed, it is to be put back. */
  at(ordinal: number): Lot {
    const offset = (ordinal - this.base) * LOT_BYTES
    if (offset >= this.#packed.length) return this.#lots[ordinal - this.base - this.#packedCount]!
    return readLot(this.#packed, offset)
  }

  quantityAt(ordinal: number): bigint {
    const offset = (ordinal - this.base) * LOT_BYTES
    return offset < this.#packed.length
      ? this.#packed.readBigInt64LE(offset)
      : this.#lots[ordinal - this.base - this.#packedCount]!.quantity
  }

  /** The present state of the lot `at`. */
  put(ordinal: number, lot: Lot): void {
    const offset = (ordinal - this.base) * LOT_BYTES
    if (offset >= this.#packed.length) return
    if (this.#isShared) this.#packed = Buffer.from(this.#packed)
    this.#isShared = false
    this.#packed.writeBigInt64LE(lot.quantity, offset)
    this.#packed.writeBigInt64LE(lot.cost, offset + 8)
  }

  push(lot: Lot): void {
    // A list that begins with its lot has no room to spare: most positions never have two.
    if (this.#lots.length === 0) this.#lots = [lot]
    else this.#lots.push(lot)
  }

  /** Lots `from` to before `to` as bytes. */
  pack(from: number, to: number): Buffer {
    if (from === to) return NOTHING
    const bytes = Buffer.allocUnsafe((to - from) * LOT_BYTES)
    this.write(new DataView(bytes.buffer, bytes.byteOffset, bytes.length), 0, from, to)
    return bytes
  }

  /** The same bytes where they are wanted: most positions have a lot, and a Buffer costs more. */
  write(view: DataView, offset: number, from: number, to: number): void {
    const own = this.base + this.#packedCount
    let at = offset
    if (from < own && from < to) {
      const end = (Math.min(to, own) - this.base) * LOT_BYTES
      const bytes = this.#packed.subarray((from - this.base) * LOT_BYTES, end)
      new Uint8Array(view.buffer, view.byteOffset + at, bytes.length).set(bytes)
      at += bytes.length
    }
    for (let ordinal = Math.max(from, own); ordinal < to; ordinal++, at += LOT_BYTES) {
      const lot = this.#lots[ordinal - own]!
      view.setBigInt64(at, lot.quantity, true)
      view.setBigInt64(at + 8, lot.cost, true)
      view.setFloat64(at + 16, lot.timestamp, true)
    }
  }

  get #packedCount(): number {
    return this.#packed.length / LOT_BYTES
  }
}

function readLot(bytes: Buffer, at: number): Lot {
  return {
    quantity: bytes.readBigInt64LE(at),
    cost: bytes.readBigInt64LE(at + 8),
    timestamp: bytes.readDoubleLE(at + 16),
  }
}
