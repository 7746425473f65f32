/**
 * The newest blocks that were yielded, with their hashes: each block must name the one before it as its parent. Pure.
 */

export type ChainLink = {
  readonly slot: number
  readonly blockhash: string
  readonly parentSlot: number
}

export type ParentOf = { readonly parentSlot: number; readonly parentBlockhash: string }

/**
 * `follows`: on the newest block, or nothing is known before it. `orphans`: the newest block is not among its
 * ancestors. `contradicts`: its parent lies after the newest block, so a block was taken for a skipped slot.
 */
export type Following = 'follows' | 'orphans' | 'contradicts'

/** More blocks than a chain of optimistically confirmed slots can lose at once. */
const LINKS_MAX = 64

export class ChainLinks {
  /** Slots up to it were yielded, skipped ones too. */
  coveredTo = -1
  readonly #links: ChainLink[] = []

  get last(): ChainLink | undefined {
    return this.#links.at(-1)
  }

  has(slot: number): boolean {
    return this.#links.some((link) => link.slot === slot)
  }

  /** `done`: slots up to it were yielded. */
  judge({ parentSlot, parentBlockhash }: ParentOf, done: number): Following {
    const { last } = this
    if (last === undefined) return parentSlot <= done ? 'follows' : 'contradicts'
    if (parentSlot > last.slot) return 'contradicts'
    return parentSlot === last.slot && parentBlockhash === last.blockhash ? 'follows' : 'orphans'
  }

  add(link: ChainLink): void {
    this.#links.push(link)
    if (this.#links.length > LINKS_MAX) this.#links.shift()
  }

  removeLast(): ChainLink | undefined {
    return this.#links.pop()
  }

  /** Forgets what does not lead to a slot without a gap. */
  resumeAfter(slot: number | undefined): void {
    if (slot === undefined || slot > this.coveredTo) this.forget()
    while (this.last !== undefined && slot !== undefined && this.last.slot > slot) this.#links.pop()
  }

  forget(): void {
    this.#links.length = 0
  }
}
