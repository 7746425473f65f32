/**
 * One slot while its updates arrive. Pure.
 *
 * The slot is complete when its block meta came, the status of as many transactions as the meta counts, each index
 * once, and each transaction whose status names the filter.
 */

import type { GeyserTransaction } from '../../forms/geyser/transaction.ts'
import type { SlotBlock } from '../blocks/slot-block.ts'
import type { ExecutedUpdate, MetaUpdate } from './update.ts'

/** Memory of a transaction that is known to exist, with its place in the map. */
const SEEN_BYTES = 64
/** More than a block can hold: a higher index is no index. */
const INDEX_MAX = 100_000
/** Bytes of a signature that are compared: enough to distinguish two versions of a block. */
const MARK_BYTES = 4

export class PendingSlot {
  readonly slot: number
  /** Reached the commitment that is waited for. */
  isFinal = false
  bytes = 0
  /** Two updates exclude each other: the slot has two versions, or the server is wrong. */
  isContradictory = false
  #parent: number | undefined
  #meta: MetaUpdate | undefined
  /** Marks of the signatures, by index. */
  readonly #marks = new Map<number, number>()
  readonly #transactions = new Map<number, GeyserTransaction>()
  /** Wanted ones that did not come yet. */
  readonly #missing = new Set<number>()

  constructor(slot: number) {
    this.slot = slot
  }

  get meta(): MetaUpdate | undefined {
    return this.#meta
  }

  /** Undefined also where the slot has two versions, which may have two parents. */
  get parent(): number | undefined {
    return this.isContradictory ? undefined : (this.#meta?.parentSlot ?? this.#parent)
  }

  get isComplete(): boolean {
    return (
      this.#meta !== undefined &&
      !this.isContradictory &&
      this.#missing.size === 0 &&
      this.#marks.size === this.#meta.executedCount
    )
  }

  addParent(parent: number | undefined): void {
    this.#parent ??= parent
  }

  addMeta(meta: MetaUpdate): void {
    if (this.#meta !== undefined && this.#meta.blockhash !== meta.blockhash) {
      this.isContradictory = true
    }
    this.#meta ??= meta
    for (const index of this.#marks.keys()) this.#check(index)
  }

  addExecuted({ index, signature, isWanted }: ExecutedUpdate): void {
    this.#mark(index, signature)
    if (isWanted && !this.#transactions.has(index)) this.#missing.add(index)
  }

  addTransaction(transaction: GeyserTransaction): void {
    const { index } = transaction
    this.#mark(index, transaction.signatureBytes)
    if (!transaction.hasResult) this.isContradictory = true
    if (this.#transactions.has(index)) return
    this.#transactions.set(index, transaction)
    this.#missing.delete(index)
    this.bytes += transaction.byteLength
  }

  /** The slot died: later updates may be of this version or of another one. */
  markDead(): void {
    this.isContradictory = true
    this.#marks.clear()
    this.#transactions.clear()
    this.#missing.clear()
    this.bytes = 0
  }

  /** The block, once the slot is complete. */
  toSlotBlock(meta: MetaUpdate): SlotBlock {
    const { slot, timestamp, blockhash, parentSlot, parentBlockhash } = meta
    const transactions = [...this.#transactions.values()].sort((a, b) => a.index - b.index)
    return {
      slot,
      block: { slot, timestamp, transactions },
      link: { blockhash, parentSlot, parentBlockhash },
    }
  }

  #mark(index: number, signature: Uint8Array): void {
    const mark = markOf(signature)
    const known = this.#marks.get(index)
    if (known === undefined) {
      this.#marks.set(index, mark)
      this.bytes += SEEN_BYTES
      this.#check(index)
    } else if (known !== mark) this.isContradictory = true
  }

  /** All indexes lie below the count: else as many of them as the count would not be all. */
  #check(index: number): void {
    const end = this.#meta?.executedCount ?? INDEX_MAX
    if (index >= end) this.isContradictory = true
  }
}

function markOf(signature: Uint8Array): number {
  let mark = 0
  for (let at = 0; at < MARK_BYTES; at++) mark = (mark << 8) | (signature[at] ?? 0)
  return mark
}
