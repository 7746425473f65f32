/**
 * The newest blocks that a source yielded, by their hashes: whether the next block continues them. Pure, but for what it
 * remembers.
 */

import type { Link } from './block-answer.ts'
import type { SlotBlock } from './slot-block.ts'

/** A vote locks a block for 32 slots at most before it is final: twice that. */
const LINKS_MAX = 64

/** The chain has left what was yielded. */
export type Break = {
  /** Slots, ascending, of blocks that are not among the ancestors; empty where the parent's slot was passed over as skipped. */
  readonly orphans: readonly number[]
  /** First slot that is to be read again. */
  readonly from: number
}

export class ChainLinks {
  /** By slot, ascending. */
  readonly #links = new Map<number, Link>()

  /** `before`: blocks, ascending, that an earlier run yielded. */
  constructor(before: readonly ({ readonly slot: number } & Link)[] = []) {
    for (const { slot, ...link } of before) this.add({ slot, block: undefined, link })
  }

  add({ slot, link }: SlotBlock): void {
    if (link === undefined) return
    this.#links.set(slot, link)
    for (const oldest of this.#links.keys()) {
      if (this.#links.size <= LINKS_MAX) break
      this.#links.delete(oldest)
    }
  }

  get newestSlot(): number | undefined {
    return Array.from(this.#links.keys()).at(-1)
  }

  blockhashOf(slot: number): string | undefined {
    return this.#links.get(slot)?.blockhash
  }

  /** Where a block does not continue the blocks before it; undefined where it does, or where its parent cannot be known. */
  breakBefore(slotBlock: SlotBlock): Break | undefined {
    const { slot, link } = slotBlock
    if (link === undefined) return undefined
    const orphans = this.#contradictedBy(slot, link)
    const [first] = orphans
    if (first !== undefined) {
      // Slots that were skipped before it may have a block on the other branch.
      return { orphans, from: (this.#links.get(first)?.parentSlot ?? first - 1) + 1 }
    }
    const newest = Array.from(this.#links.keys()).findLast((each) => each < slot) ?? slot
    const passedOver = link.parentSlot - newest
    return passedOver > 0 && passedOver <= LINKS_MAX ? { orphans, from: newest + 1 } : undefined
  }

  /** Slots, ascending, of blocks before this one that are not among its ancestors. */
  #contradictedBy(slot: number, { parentSlot, parentBlockhash }: Link): number[] {
    return Array.from(this.#links)
      .filter(
        ([each, { blockhash }]) =>
          (each > parentSlot && each < slot) ||
          (each === parentSlot && blockhash !== parentBlockhash),
      )
      .map(([each]) => each)
  }

  /** Slots, ascending, of blocks after this one. */
  slotsAfter(slot: number): number[] {
    return Array.from(this.#links.keys()).filter((each) => each > slot)
  }

  /** Forgets a slot and all after it. */
  dropFrom(slot: number): void {
    for (const each of this.#links.keys()) if (each >= slot) this.#links.delete(each)
  }
}
