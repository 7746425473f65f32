/**
 * The list of an epoch's slots (`epoch-E-slot-ranges.raw`): where the nodes of each slot lie in its CAR file. A row of 12
 * bytes each slot: offset in 64 bits and length in 32, little endian; length 0: the slot was skipped. Pure.
 *
 * The list is no proof: a block must end where its row ends, and its nodes have the hashes of their CIDs.
 */

import { EPOCH_SLOTS } from './epochs.ts'
import type { CarBlock } from './format/blocks.ts'

const ROW_BYTES = 12
export const SLOT_RANGES_BYTES = EPOCH_SLOTS * ROW_BYTES

export class SlotRanges {
  readonly #rows: Buffer
  readonly #first: number

  /** Throws RangeError for a list of another length. */
  constructor(rows: Buffer, epoch: number) {
    if (rows.length !== SLOT_RANGES_BYTES) {
      throw new RangeError(`it has ${rows.length} bytes, expected ${SLOT_RANGES_BYTES}`)
    }
    this.#rows = rows
    this.#first = epoch * EPOCH_SLOTS
  }

  /** Offset of the newest block before a slot: its hash is that of the parent. 0, the file's, where it has none before. */
  startBefore(slot: number): number {
    for (let each = Math.min(slot, this.#first + EPOCH_SLOTS) - 1; each >= this.#first; each--) {
      const row = this.#row(each)
      if (row.length > 0) return row.start
    }
    return 0
  }

  /** Whether the block ends elsewhere than its row. */
  contradicts({ slot, end }: CarBlock): boolean {
    if (slot < this.#first || slot >= this.#first + EPOCH_SLOTS) return true
    const row = this.#row(slot)
    return row.length === 0 || row.start + row.length !== end
  }

  #row(slot: number): { start: number; length: number } {
    const at = (slot - this.#first) * ROW_BYTES
    const start = Number(this.#rows.readBigUInt64LE(at))
    return { start, length: this.#rows.readUInt32LE(at + 8) }
  }
}
