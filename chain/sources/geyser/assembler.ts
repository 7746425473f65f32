/**
 * Blocks from the updates of a Yellowstone stream, in slot order, each complete or not at all. Pure.
 *
 *   push(update) ... -> next() -> slot | fetch | fork | unskipped | contradiction
 *
 * Invariants:
 * - A slot is yielded when it reached the commitment, is an ancestor of the newest such slot, and its count is met.
 * - Slots between a block and its parent were skipped, which is the only proof that a slot has no block.
 * - Slots that the stream did not send in time are named by `fetch`; nothing after them is yielded before `accept` got them.
 * - A block that does not follow the one yielded before it takes that one back (`fork`), or the skips after it (`unskipped`).
 *
 * Memory is bounded: beyond the bound the oldest slots are dropped, and fetched when it is their turn.
 */

import type { Commitment } from '../blocks/block-answer.ts'
import type { ChainLinks } from '../blocks/chain-links.ts'
import type { SlotBlock } from '../blocks/slot-block.ts'
import { PendingSlot } from './pending-slot.ts'
import type { BlockUpdate, MetaUpdate, SlotStatus, SlotUpdate } from './update.ts'

export type Assembled =
  | { readonly kind: 'slot'; readonly slotBlock: SlotBlock }
  /** Slots, both ends included, that are not provably complete; the last of them has a block. */
  | { readonly kind: 'fetch'; readonly from: number; readonly to: number }
  /** A block that was yielded and is not part of the chain; the newest first. */
  | { readonly kind: 'fork'; readonly slot: number; readonly blockhash: string }
  /** A slot that was passed over as skipped is the parent of a block: it and its neighbours are read again. */
  | { readonly kind: 'unskipped'; readonly slot: number }
  /** The parent of a block was skipped when it was read again, too. */
  | { readonly kind: 'contradiction'; readonly slot: number; readonly child: number }

type AssemblerOptions = {
  readonly commitment: Commitment
  /** Slots up to it were yielded before; undefined: begin with the first complete one. */
  readonly after: number | undefined
  /** Outlives the assembler: a block that comes after a reconnect must follow the last one before it. */
  readonly links: ChainLinks
  readonly bytesMax?: number
}

type KnownChain = {
  readonly blocks: readonly PendingSlot[]
  readonly unknown: number | undefined
  readonly finals: readonly number[]
}

/** About 30 s of filtered blocks. */
const BYTES_MAX = 128 * 1024 * 1024
/** About a minute of slots. */
const SLOTS_MAX = 150
/** Blocks that must come after an incomplete one before it is fetched: about 3 s. */
const WAIT_BLOCKS_MAX = 8

const REACHED: Readonly<Record<Commitment, ReadonlySet<SlotStatus>>> = {
  confirmed: new Set(['confirmed', 'finalized']),
  finalized: new Set(['finalized']),
}

export class BlockAssembler {
  readonly #reached: ReadonlySet<SlotStatus>
  readonly #links: ChainLinks
  readonly bytesMax: number
  readonly #pending = new Map<number, PendingSlot>()
  readonly #forks: Assembled[] = []
  /** Highest slot that reached the commitment, 0 before the first. */
  newestSlot = 0
  #done: number | undefined
  #bytes = 0
  /** The last slot that was read again because it had been skipped. */
  #readAgain: number | undefined
  /** Slots below it were not sent on this stream, or were dropped. */
  #sentFrom = Number.POSITIVE_INFINITY
  #dropped = -1

  constructor({ commitment, after, links, bytesMax = BYTES_MAX }: AssemblerOptions) {
    this.#reached = REACHED[commitment]
    this.#links = links
    this.bytesMax = bytesMax
    this.#done = after
    links.dropFrom(after === undefined ? 0 : after + 1)
  }

  /** Slots up to it were yielded. */
  get done(): number | undefined {
    return this.#done
  }

  /** Memory of what waits to be yielded, 0 to 1: at 1 the oldest slots are dropped. */
  get fill(): number {
    return Math.max(this.#bytes / this.bytesMax, this.#pending.size / SLOTS_MAX)
  }

  /** Adds an update; returns whether `next` may have an answer now. */
  push(update: BlockUpdate): boolean {
    const { slot } = update
    if (update.kind === 'slot' && this.#isFinal(update.status)) {
      this.newestSlot = Math.max(this.newestSlot, slot)
    }
    if (slot <= (this.#done ?? -1)) return false
    if (update.kind === 'slot' && update.status === 'dead') this.#markDead(slot)
    if (update.kind === 'slot') return this.#note(update)
    if (slot <= this.#dropped) return false
    const pending = this.#pendingOf(slot)
    this.#sentFrom = Math.min(this.#sentFrom, slot)
    const bytesBefore = pending.bytes
    if (update.kind === 'meta') pending.addMeta(update)
    else if (update.kind === 'transaction') pending.addTransaction(update.transaction)
    else pending.addExecuted(update)
    this.#bytes += pending.bytes - bytesBefore
    this.#bound()
    return update.kind === 'meta' || pending.isComplete
  }

  /** The next slot, or the reason why it cannot be yielded; undefined until another update is pushed. */
  next(): Assembled | undefined {
    const fork = this.#forks.shift()
    if (fork !== undefined) return fork
    const { blocks, unknown, finals } = this.#chain()
    if (this.#done === undefined) return this.#begin(blocks, finals)
    if (unknown !== undefined) {
      return this.#isLost(unknown) || finals.length > WAIT_BLOCKS_MAX
        ? { kind: 'fetch', from: this.#done + 1, to: unknown }
        : undefined
    }
    const oldest = blocks.at(-1)
    if (oldest === undefined) return undefined
    const isLost = this.#isLost(oldest.slot) || !isParentOf(oldest, blocks.at(-2))
    if (isLost || oldest.meta === undefined || !oldest.isComplete) {
      return isLost || blocks.length > WAIT_BLOCKS_MAX
        ? { kind: 'fetch', from: this.#done + 1, to: oldest.slot }
        : undefined
    }
    return this.#yield(oldest, oldest.meta)
  }

  /** Takes a slot that was fetched; false where it does not follow what was yielded: then `next` reports why. */
  accept(slotBlock: SlotBlock): boolean {
    if (!this.#follows(slotBlock)) return false
    this.#links.add(slotBlock)
    this.#finish(slotBlock.slot)
    return true
  }

  /** Skips slots that no node can deliver. */
  skipTo(slot: number): void {
    this.#links.dropFrom(0)
    this.#finish(slot)
  }

  /**
   * The blocks of the chain that are known, newest first, from the newest slot at the commitment down to what was
   * yielded; `unknown` is the oldest slot of the chain whose parent is missing where they do not reach that far. `finals`:
   * slots at the commitment, newest first.
   */
  #chain(): KnownChain {
    const done = this.#done ?? -1
    const finals = [...this.#pending.values()].filter(({ isFinal }) => isFinal)
    const blocks: PendingSlot[] = []
    let at = Number.POSITIVE_INFINITY
    let unknown: number | undefined
    // One whose parent is missing does not hold up those before it.
    finals.sort((a, b) => b.slot - a.slot)
    for (const { slot } of finals) {
      if (slot >= at) continue
      unknown = undefined
      for (at = slot; at > done; ) {
        const pending = this.#pending.get(at)
        if (pending?.parent === undefined || pending.parent >= at) {
          unknown = at
          break
        }
        blocks.push(pending)
        at = pending.parent
      }
      if (unknown === undefined) break
    }
    return { blocks, unknown, finals: finals.map(({ slot }) => slot) }
  }

  /** Whether waiting for the stream is of no use. */
  #isLost(slot: number): boolean {
    const isContradictory = this.#pending.get(slot)?.isContradictory === true
    return slot < this.#sentFrom || slot <= this.#dropped || isContradictory
  }

  /**
   * Without a slot to begin after, the first complete block is the beginning; on a stream that brings none, the first
   * slot that it brought in part.
   */
  #begin(blocks: readonly PendingSlot[], finals: readonly number[]): Assembled | undefined {
    const first = blocks.findLast(({ isComplete }) => isComplete)
    if (first?.meta !== undefined) {
      this.#finish(first.slot - 1)
      return this.#yield(first, first.meta)
    }
    const sent = finals.filter((slot) => slot > this.#sentFrom)
    const oldest = sent.at(-1)
    if (oldest === undefined || sent.length <= WAIT_BLOCKS_MAX) return undefined
    this.#finish(oldest - 1)
    return this.next()
  }

  #yield(pending: PendingSlot, meta: MetaUpdate): Assembled | undefined {
    const slotBlock = pending.toSlotBlock(meta)
    if (!this.#follows(slotBlock)) return this.#forks.shift()
    const skipped = (this.#done ?? slotBlock.slot - 1) + 1
    if (skipped < slotBlock.slot) {
      this.#finish(skipped)
      return { kind: 'slot', slotBlock: { slot: skipped, block: undefined } }
    }
    this.accept(slotBlock)
    return { kind: 'slot', slotBlock }
  }

  /** Whether the block continues the yielded ones; where not, those that it contradicts are taken back. */
  #follows(slotBlock: SlotBlock): boolean {
    const { slot, link } = slotBlock
    if (link === undefined) return true
    const broken = this.#links.breakBefore(slotBlock)
    if (broken === undefined) return true
    const { parentSlot } = link
    const [orphan] = broken.orphans
    if (orphan !== undefined) this.#takeBack(orphan)
    else if (this.#readAgain === parentSlot) {
      this.#forks.push({ kind: 'contradiction', slot: parentSlot, child: slot })
      return false
    } else {
      this.#readAgain = parentSlot
      this.#forks.push({ kind: 'unskipped', slot: parentSlot })
    }
    // Updates of these slots were ignored so far.
    this.#dropped = Math.max(this.#dropped, this.#done ?? -1)
    this.#done = broken.from - 1
    return false
  }

  /** Takes back the blocks of a slot and all after it. */
  #takeBack(from: number): void {
    for (let slot = this.#links.newestSlot ?? -1; slot >= from; ) {
      const blockhash = this.#links.blockhashOf(slot) ?? ''
      this.#forks.push({ kind: 'fork', slot, blockhash })
      this.#links.dropFrom(slot)
      slot = this.#links.newestSlot ?? -1
    }
  }

  /**
   * A dead slot has no block, or another one later. Of a slot that was yielded it proves nothing: the server may mean
   * another version, and the parent of the next block decides.
   */
  #markDead(slot: number): void {
    const pending = this.#pendingOf(slot)
    this.#bytes -= pending.bytes
    pending.markDead()
  }

  #note({ slot, parent, status }: SlotUpdate): boolean {
    const pending = this.#pendingOf(slot)
    pending.addParent(parent)
    const isFinal = this.#isFinal(status)
    if (isFinal) pending.isFinal = true
    this.#bound()
    return isFinal
  }

  #isFinal(status: SlotStatus | undefined): boolean {
    return status !== undefined && this.#reached.has(status)
  }

  #pendingOf(slot: number): PendingSlot {
    let pending = this.#pending.get(slot)
    if (pending === undefined) {
      pending = new PendingSlot(slot)
      this.#pending.set(slot, pending)
    }
    return pending
  }

  #finish(done: number): void {
    this.#done = done
    for (const slot of this.#pending.keys()) if (slot <= done) this.#drop(slot)
  }

  #drop(slot: number): void {
    this.#bytes -= this.#pending.get(slot)?.bytes ?? 0
    this.#pending.delete(slot)
  }

  #bound(): void {
    while (this.#bytes > this.bytesMax || this.#pending.size > SLOTS_MAX) {
      const oldest = Math.min(...this.#pending.keys())
      this.#drop(oldest)
      this.#dropped = Math.max(this.#dropped, oldest)
    }
  }
}

/** False where the child names another version of the slot as its parent. */
function isParentOf({ meta }: PendingSlot, child: PendingSlot | undefined): boolean {
  if (meta === undefined || child?.meta === undefined) return true
  return child.meta.parentBlockhash === meta.blockhash
}
