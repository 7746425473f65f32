/**
 * A retraction: a block left the chain, with all that was read of it. Pure.
 *
 * Law: every table ends as the fold of the other events, whenever the retraction arrives. It stays in force: an event of
 * the block that arrives later is left out, too. Where the retraction or the event names no block, the slot decides.
 */
export type Retraction = {
  slot: number
  /** Base58 of 32 bytes; absent: every block of the slot. */
  blockhash?: string | undefined
}

/** Where an event happened. */
type SlotIdentity = { readonly slot: number; readonly blockhash?: string | undefined }

/** Whether two blocks of a slot are known to differ. */
export function areOtherBlocks(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && a !== b
}

/** The blocks that retractions took back. */
export class RetractedBlocks {
  /** By slot: the blockhashes; undefined among them is every block. */
  readonly #blocks = new Map<number, Set<string | undefined>>()

  constructor(retractions: Iterable<Retraction> = []) {
    for (const each of retractions) this.add(each)
  }

  get isEmpty(): boolean {
    return this.#blocks.size === 0
  }

  add({ slot, blockhash }: Retraction): void {
    const blocks = this.#blocks.get(slot)
    if (blocks === undefined) this.#blocks.set(slot, new Set([blockhash]))
    else blocks.add(blockhash)
  }

  has({ slot, blockhash }: SlotIdentity): boolean {
    const blocks = this.#blocks.get(slot)
    if (blocks === undefined) return false
    return blockhash === undefined || blocks.has(undefined) || blocks.has(blockhash)
  }
}
