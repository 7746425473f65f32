/**
 * The newest blocks that a source yielded, by their hashes: whether the next block continues them. Pure, but for what it
 * remembers.
 */

import type { Link } from './block-answer.ts'
import type { SlotBlock } from './slot-block.ts'

/** A vote locks a block for 32 slots at most before it is final: twice that. */
const LINKS_MAX = 64

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

  linkOf(slot: number): Link | undefined {
    return this.#links.get(slot)
  }

  blockhashOf(slot: number): string | undefined {
    return this.#links.get(slot)?.blockhash
  }

  /** Slots, ascending, of blocks before this one that are not among its ancestors. */
  contradictedBy({ slot, link }: SlotBlock): number[] {
    if (link === undefined) return []
    const { parentSlot, parentBlockhash } = link
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
